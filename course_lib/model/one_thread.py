"""Load torch with one thread; every module of course_lib that needs torch takes it from here.

The networks of this course are small. Sharing such small work between threads costs more than it saves: on a busy
machine two threads make the trainings 10 to 60 times slower.
"""

import torch
from torch import nn

torch.set_num_threads(1)

__all__ = ["nn", "torch"]
