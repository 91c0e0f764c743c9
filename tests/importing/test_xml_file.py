"""XML files of unknown origin."""

import pytest

from vitbackbones.errors import InputError
from vitbackbones.importing.xml_file import read_xml

LAUGHS = ''.join(
    f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' if i else '<!ENTITY a0 "ha">' for i in range(10)
)


def test_a_file_is_read(tmp_path):
    file = tmp_path / '0.xml'
    file.write_text('<?xml version="1.0" encoding="latin-1"?><a><b>\xe9</b></a>', 'latin-1')
    assert read_xml(file).findtext('b') == '\xe9'


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        (f'<!DOCTYPE a [{LAUGHS}]><a>&a9;</a>', 'has a DOCTYPE'),
        ('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', 'has a DOCTYPE'),
        ('<!DOCTYPE a SYSTEM "http://localhost/a.dtd"><a/>', 'has a DOCTYPE'),
        ('<a>&b;</a>', 'not an XML file: undefined entity'),
        ('<a>', 'not an XML file: no element found'),
        ('', 'not an XML file'),
        ('<?xml version="1.0" encoding="none"?><a/>', 'unknown encoding'),
    ],
)
def test_what_grows_opens_files_or_is_no_xml_is_refused(tmp_path, text, message):
    file = tmp_path / '0.xml'
    file.write_text(text)
    with pytest.raises(InputError, match=rf'0\.xml: .*{message}'):
        read_xml(file)
