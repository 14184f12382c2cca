from bookshop.functions import place_order

result = place_order(body={"isbn": "9780000000017", "copies": 500})
