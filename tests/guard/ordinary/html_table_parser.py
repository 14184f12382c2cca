from html.parser import HTMLParser
from dataclasses import dataclass, field
@dataclass
class Table:
    rows: list[list[str]] = field(default_factory=list)
    def to_dicts(self): head, *body = self.rows; return [dict(zip(head, r)) for r in body]
class TableParser(HTMLParser):
    def __init__(self, *, convert_charrefs: bool = True):
        super().__init__(convert_charrefs=convert_charrefs)
        self.tables: list[Table] = []; self.cell: list[str] | None = None; self.stack = []
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.stack.append(tag)
        match tag:
            case "table": self.tables.append(Table())
            case "tr": self.tables[-1].rows.append([])
            case "td" | "th": self.cell = []
    def handle_endtag(self, tag):
        while self.stack and self.stack.pop() != tag: pass
        if tag in ("td", "th"): self.tables[-1].rows[-1].append("".join(self.cell).strip()); self.cell = None
    def handle_data(self, data):
        if self.cell is not None: self.cell.append(data)
    def handle_comment(self, data): print("comment", data)
    def handle_startendtag(self, tag, attrs): print("self-closing", tag, dict(attrs))
    def handle_decl(self, decl): print(decl)
p = TableParser(); p.feed("<!DOCTYPE html><!--c--><table><tr><th>a</th><th>b</th></tr><tr><td>1 &lt; 2</td><td>x<br/></td></tr></table>"); p.close()
print(p.tables[0].to_dicts(), p.get_starttag_text(), p.rawdata)
