"""Studies: how inference from released numbers does on average, over many datasets with fresh noise."""
