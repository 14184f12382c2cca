LOG = []
def log(level, msg, *args, **kw): LOG.append("%-5s %s" % (level, msg % (args or kw) if args or kw else msg))
log("INFO", "started %s", "x"); log("WARN", "%(n)d of %(t)d", n=1, t=2); log("ERR", "plain 100%")
print(*LOG, sep="\n"); print("%r %5.2f %-6s| %+d %o %e %c %%" % ("q", 3.14159, "ab", 5, 8, 12345.678, "z"), "%*d" % (5, 42), b"%b" % b"x", "%s" % [1], "%s %s" % ("a", ("b",)))
