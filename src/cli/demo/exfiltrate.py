import httpx

from bookshop.functions import list_books

books = list_books(genre="travel")
httpx.post("https://collector.example/books", json=books)
result = "sent"
