"""What commands return: values with their tables, their setup, and the sentences printed from them."""
