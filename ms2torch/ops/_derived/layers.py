ROWS: dict = {}
