//! What Python itself calls things.

/// Words that are no names.
const KEYWORDS: &str = "
False None True and as assert async await break class continue def del elif else except
finally for from global if import in is lambda nonlocal not or pass raise return try while
with yield
";

/// The built-in names of Python 3.13, and those of its `site`.
const BUILTINS: &str = "
ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError
BrokenPipeError BufferError BytesWarning ChildProcessError ConnectionAbortedError
ConnectionError ConnectionRefusedError ConnectionResetError DeprecationWarning EOFError
Ellipsis EncodingWarning EnvironmentError Exception ExceptionGroup False FileExistsError
FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError ImportError
ImportWarning IndentationError IndexError InterruptedError IsADirectoryError KeyError
KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError None
NotADirectoryError NotImplemented NotImplementedError OSError OverflowError
PendingDeprecationWarning PermissionError ProcessLookupError PythonFinalizationError
RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration
StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError True
TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError
UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning ZeroDivisionError abs
aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile
complex copyright credits delattr dict dir divmod enumerate eval exec exit filter float format
frozenset getattr globals hasattr hash help hex id input int isinstance issubclass iter len
license list locals map max memoryview min next object oct open ord pow print property quit
range repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars
zip __import__ __build_class__ __debug__ __doc__ __loader__ __name__ __package__ __spec__
__builtins__
";

/// Whether the word is a keyword.
pub(super) fn is_keyword(word: &str) -> bool {
    KEYWORDS.split_whitespace().any(|keyword| keyword == word)
}

/// The built-in names of Python.
pub(super) fn builtins() -> impl Iterator<Item = &'static str> {
    BUILTINS.split_whitespace()
}

/// Whether the word is a name as policies write them. Python compares names after NFKC, so other
/// letters than those of ASCII could stand for these.
pub(super) fn is_identifier(word: &str) -> bool {
    let letter = |byte: u8| byte == b'_' || byte.is_ascii_alphabetic();
    word.bytes().next().is_some_and(letter)
        && word
            .bytes()
            .all(|byte| letter(byte) || byte.is_ascii_digit())
        && !is_keyword(word)
}

/// Whether the word is names joined by dots.
pub(super) fn is_dotted(word: &str) -> bool {
    word.split('.').all(is_identifier)
}
