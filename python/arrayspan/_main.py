"""Whether this is the interpreter that the library can be loaded into.

It is loaded once in a process. An interpreter within the program that came first would keep it from the program itself.
"""


def _expect_main():
    try:
        import _interpreters as interpreters
    except ImportError:
        try:
            import _xxsubinterpreters as interpreters
        except ImportError:
            return
    if interpreters.get_current() != interpreters.get_main():
        raise ImportError("arrayspan can be imported in the main interpreter of a program only")


_expect_main()
