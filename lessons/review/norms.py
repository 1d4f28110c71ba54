"""Whether a norm takes part in a block."""

from course_lib.model.one_thread import nn

NORMS = (nn.LayerNorm, nn.RMSNorm, nn.GroupNorm, nn.modules.batchnorm._NormBase)


def has_norm(block, x) -> bool:
    """Tell whether a norm runs when the block does; one that is only made in __init__ does not count."""
    ran, norms = [], [part for part in block.modules() if isinstance(part, NORMS)]
    hooks = [part.register_forward_hook(lambda *_: ran.append(True)) for part in norms]
    block(x)
    for hook in hooks:
        hook.remove()
    return bool(ran)
