//! Names of query parameters that have to do with pages.

/// Query parameters (as [`super::answer::bare`] spells them) that take the place to go on from.
pub(super) const CURSORS: &[&str] = &[
    "cursor",
    "pagecursor",
    "nextcursor",
    "pagetoken",
    "nextpagetoken",
    "nexttoken",
    "startingtoken",
    "startingafter",
    "after",
    "pageafter",
    "marker",
    "nextmarker",
    "continuation",
    "continuationtoken",
    "continue",
    "iterator",
    "exclusivestartkey",
];
/// Query parameters that hold the number of a page.
pub(super) const PAGES: &[&str] = &[
    "page",
    "pagenumber",
    "pagenum",
    "pageno",
    "currentpage",
    "pageindex",
];
/// Query parameters that hold how many items to pass over.
pub(super) const OFFSETS: &[&str] = &[
    "offset",
    "pageoffset",
    "skip",
    "start",
    "startat",
    "startindex",
    "firstresult",
];
/// Those that everybody counts from 0; the others only where the document says from what.
pub(super) const OFFSETS_FROM_ZERO: &[&str] = &["offset", "pageoffset", "skip", "start"];
/// Beside these, `start` is one end of a range.
pub(super) const RANGE_ENDS: &[&str] =
    &["end", "to", "until", "stop", "finish", "endtime", "endat"];
/// Query parameters that hold how many items a page has at most.
pub(super) const SIZES: &[&str] = &[
    "limit",
    "perpage",
    "pagesize",
    "pagelimit",
    "size",
    "count",
    "maxresults",
    "maxitems",
    "maxpagesize",
    "resultsperpage",
    "itemsperpage",
    "take",
    "top",
    "rows",
    "max",
    "num",
];
