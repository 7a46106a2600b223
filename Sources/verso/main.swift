print("verso")
