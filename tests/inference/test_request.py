"""What of a command line leads to a model, and is remembered with it."""

from vitbackbones.inference.request import ModelRequest


def words(*inputs, **options):
    return ModelRequest('name', inputs=inputs, **options).words()


def test_a_single_input_does_not_change_the_model():
    assert words('one') == words('other') == words('a.jpg') == words()
    assert ModelRequest('name', inputs=('one',)).first is None


def test_the_first_of_several_inputs_may_be_a_checkpoint():
    assert words('run', 'photos') == words('run', 'others')
    assert words('run', 'photos') != words('other_run', 'photos')
    assert words('run', 'photos')['checkpoint'] == 'run'
    assert words('a.jpg', 'photos') == words('photos')
    assert words(checkpoint='run')['checkpoint'] == 'run'
