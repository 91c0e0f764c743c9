"""Which labels are likely to be wrong, judged by models that have not seen the images."""
