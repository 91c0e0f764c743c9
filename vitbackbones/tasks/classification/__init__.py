"""Classification with mmpretrain: classifiers, distillation, erasing, what must agree."""
