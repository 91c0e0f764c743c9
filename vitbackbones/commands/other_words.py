"""What other toolboxes call an option, for the message on a word that is none here."""

from collections.abc import Collection, Iterable

# Options and arguments, and their words elsewhere, without dashes.
ELSEWHERE = {
    '--size': 'imgsz img img-size image-size resolution',
    '--batch-size': 'batch bs samples-per-gpu',
    '--data-root': 'data data-dir dataset-dir data-path',
    '--lr': 'lr0 learning-rate base-lr',
    '--pretrained': 'weights ckpt checkpoint',
    'CHECKPOINT': 'weights ckpt checkpoint model',
    '--epochs': 'max-epochs num-epochs',
    '--steps': 'iters max-iters iterations max-steps',
    '--workers': 'num-workers',
    '--device': 'gpu gpus gpu-id gpu-ids accelerator',
    '--amp': 'fp16 half mixed-precision',
    '--score-threshold': 'conf conf-thres',
    '--work-dir': 'project output output-dir save-dir',
    '--out': 'project output output-dir save-dir',
    'INPUT': 'source',
}


def advice(words: Iterable[str], known: Collection[str]) -> str:
    """Return what to write in place of ``--imgsz`` or ``imgsz=640``; '' where nothing is known.

    Args:
        words: of a command line.
        known: options and arguments of the verb.

    >>> advice(['--imgsz', '640', 'epochs=50'], ['--size', '--epochs'])
    '; use --size instead of --imgsz, --epochs instead of epochs='
    """
    meant = {}
    for word in words:
        name = word[: word.find('=') + 1] or word  # with the "=" in "epochs=50"
        bare = name.strip('-=').replace('_', '-')
        for here in known if name != bare else ():
            if here == f'--{bare}' or bare in ELSEWHERE.get(here, '').split():
                meant[name] = here
    replaced = ', '.join(f'{here} instead of {name}' for name, here in meant.items())
    return f'; use {replaced}' if replaced else ''
