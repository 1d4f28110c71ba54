"""The lessons, one folder each: `catalogue` finds and reads them."""
