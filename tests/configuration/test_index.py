"""Names and headers of configs as data."""

from vitbackbones.configuration.index import facts, header, name_of, run_configs


def written(folder, text):
    file = folder / 'config.py'
    file.write_text(text)
    return file


def test_a_header_is_read_without_running_the_config_and_has_a_title_and_facts(tmp_path):
    assert header(written(tmp_path, '"""What it is."""\nraise SystemExit\n')) == 'What it is.'
    assert header(written(tmp_path, 'raise SystemExit\n')) == ''
    facts_of = 'Published: 1.2\n    and 3.\nPublished: 4.\n'
    others = 'No fact.\nThe wiring of another: no fact.\n\n    a: command\n'
    text = f'A model,\nand its data.\n\n{facts_of}{others}'
    found = facts(written(tmp_path, f'"""{text}"""'))
    assert found == {'Title': 'A model, and its data', 'Published': '1.2 and 3. 4.'}


def test_names_of_configs_say_the_data_except_for_own_pictures(tmp_path):
    files = ['coco/detr.py', 'own/aug.py', '_base_/x.py', 'studies/y.py', 'ade/b.py', 'z.py']
    for name in [*files, 'coco/readme.md', 'coco/deep/c.py']:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    found = run_configs(tmp_path)
    assert list(found) == ['aug', 'b_ade', 'detr_coco']
    assert found['detr_coco'] == tmp_path / 'coco' / 'detr.py'
    assert [name_of(file) for file in found.values()] == list(found)
