import asyncio

from bookshop.functions import get_stock, list_books

GENRE = "mystery"
BRANCH = "harbour"


async def main():
    books = await list_books.aio(genre=GENRE, max_price=20)
    stock = await asyncio.gather(
        *(get_stock.aio(isbn=book["isbn"], x_branch=BRANCH) for book in books)
    )
    return [
        {"title": book["title"], "copies": shelf["copies"]}
        for book, shelf in zip(books, stock)
    ]
