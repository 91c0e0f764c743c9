"""Shards of a source at any address, and the files of their answers."""

import pytest

from vitbackbones.errors import InputError
from vitbackbones.inference.on_ray import Output, Shard, find_shards

fsspec = pytest.importorskip('fsspec')


@pytest.fixture
def memory():
    """An empty file system that is no disk."""
    opened = fsspec.filesystem('memory')
    opened.store.clear()
    opened.pseudo_dirs[:] = ['']
    return opened


def touch(memory, *names):
    for name in names:
        memory.pipe_file(f'/bucket/{name}', b'')


def test_a_folder_is_in_the_order_of_its_paths(memory, tmp_path):
    names = ['b.png', 'a/z.jpg', 'a-b/c.jpg', 'notes.txt', '.hidden.png', 'film.mp4', 'B.PNG']
    touch(memory, *names)
    wanted = ['B.PNG', 'a/z.jpg', 'a-b/c.jpg', 'b.png', 'film.mp4']  # as Path sorts
    first, second, third = find_shards('memory://bucket', 2)
    assert [*first.names, *second.names, *third.names] == wanted
    assert [each.number for each in (first, second, third)] == [0, 1, 2]
    assert first.addresses() == {name: f'memory:///bucket/{name}' for name in wanted[:2]}
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (only,) = find_shards(str(tmp_path), 9)
    assert [*only.names] == wanted


def test_a_list_has_addresses_of_any_kind_each_once(memory):
    lines = b's3://other/a.png\n/data/b.png\n\ns3://other/a.png\r\n'
    memory.pipe_file('/bucket/list.txt', lines)
    (shard,) = find_shards('memory://bucket/list.txt', 10)
    assert shard.addresses() == {'other/a.png': 's3://other/a.png', 'data/b.png': '/data/b.png'}


def test_a_row_group_of_a_table_is_a_shard(memory):
    arrow = pytest.importorskip('pyarrow')
    parquet = pytest.importorskip('pyarrow.parquet')
    for name, column in (('b', 'path'), ('a', 'path'), ('wrong/c', 'image')):
        values = [f'memory://bucket/{name}{i}.png' for i in range(5)]
        sink = arrow.BufferOutputStream()
        parquet.write_table(arrow.table({column: values}), sink, row_group_size=2)
        memory.pipe_file(f'/bucket/{name}.parquet', sink.getvalue().to_pybytes())
    shards = find_shards('memory://bucket/*.parquet', 1000)
    assert [len(each.addresses()) for each in shards] == [2, 2, 1, 2, 2, 1]
    assert [*shards[3].addresses()] == ['bucket/b0.png', 'bucket/b1.png']
    (wrong, *_) = find_shards('memory://bucket/wrong/c.parquet', 1000)
    with pytest.raises(InputError, match="has no column 'path'"):
        wrong.addresses()


@pytest.mark.parametrize(
    ('source', 'said'),
    [
        ('memory://nothing', 'no such folder, list'),
        ('memory://bucket/empty', 'no image or video there'),
        ('memory://bucket/no.txt', 'no such folder, list'),
        ('memory://bucket/none/*.parquet', 'no image or video there'),
        ('nonsense://bucket', 'Protocol not known: nonsense'),
    ],
)
def test_a_source_without_pictures_is_refused(memory, source, said):
    memory.pipe_file('/bucket/empty/notes.txt', b'')
    with pytest.raises(InputError, match=said):
        find_shards(source, 10)


def test_a_name_that_leads_out_of_its_folder_is_refused():
    for shard in (Shard(0, 's3://b', ['a/../../c.png']), Shard(0, '', ['s3://b/../c.png'])):
        with pytest.raises(InputError, match='must not contain "[.][.]"'):
            shard.addresses()


@pytest.mark.parametrize('place', ['memory://out/deep', 'local'])
def test_answers_are_lines_or_a_table(memory, tmp_path, place):
    address = str(tmp_path / 'out') if place == 'local' else place
    records = [{'file_name': 'a', 'best': []}, {'file_name': 'b', 'best': [{'label': 1}]}]
    out = Output(address, '.jsonl')
    assert out.done() == set()
    out.put(out.part(3), out.answers(records))
    assert out.done() == {'part-000003.jsonl'}
    lines = b'{"file_name": "a", "best": []}\n{"file_name": "b", "best": [{"label": 1}]}\n'
    assert out.read('part-000003.jsonl') == lines
    pytest.importorskip('pyarrow')
    table = Output(address, '.parquet')
    table.put(table.part(0), table.answers(records))
    import pandas

    with table.fs.open(f'{table.path}/part-000000.parquet') as file:
        read = pandas.read_parquet(file)
    assert [*read['file_name']] == ['a', 'b']
    assert read['answer'][0] == '{"file_name": "a", "best": []}'
