"""An XML file of unknown origin, read so that it can neither grow nor open other files.

Entities, which do both, are declared in a DOCTYPE. Annotations have none, so a file with one is
refused before anything of it is expanded.
"""

from pathlib import Path
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from ..errors import InputError


def read_xml(path: Path) -> Element:
    """Return the root of an XML file.

    Raises:
        InputError: it is no XML, has a DOCTYPE, or cannot be read.
    """

    def refuse(*declaration) -> None:
        raise InputError(f'{path}: has a DOCTYPE, which annotations do not need. Take it out.')

    builder, parser = TreeBuilder(), expat.ParserCreate()
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(path.read_bytes(), True)
    except expat.ExpatError as error:
        raise InputError(f'{path}: not an XML file: {error}.') from error
    except (OSError, LookupError, ValueError) as error:  # encodings that Python does not have
        if isinstance(error, InputError):
            raise
        raise InputError(f'{path}: cannot be read: {error}.') from error
    return builder.close()
