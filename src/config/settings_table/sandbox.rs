//! Where code runs, with which limits, and how much of it at once.

use super::{BOOLEAN, COUNT, SECONDS, SIZE, Setting, setting};

pub(super) const SANDBOX: &[Setting] = &[
    setting(
        "MCE_SANDBOX",
        "`auto`, `docker` or `embedded`",
        "auto",
        "Where code runs: in containers, or in confined worker processes of `mce` itself, which know a \
         part of Python. `auto` takes containers where an engine answers that has the image, else \
         `embedded`, but not over HTTP.",
    ),
    setting(
        "MCE_DOCKER_IMAGE",
        "image reference",
        "mce-sandbox:latest",
        "Image of the sandbox; never pulled.",
    )
    .or(&["MCP_BRIDGE_IMAGE"]),
    setting(
        "MCE_SANDBOX_PACKAGES",
        "`name==version` entries, separated by spaces or commas",
        "",
        "Packages that `mce sandbox build` adds to the image.",
    ),
    setting(
        "MCE_SANDBOX_LOCK",
        "path",
        "./sandbox.lock",
        "Lock file of those packages: all that they need, with hashes.",
    ),
    setting(
        "MCE_DOCKER_HOST",
        "`unix://`, `ssh://`, `tcp://` or `https://` address, or a socket's path",
        "",
        "The engine; else `DOCKER_HOST`, the context of Docker's client, then the usual sockets.",
    ),
    setting(
        "MCE_DOCKER_RUNTIME",
        "name of an OCI runtime",
        "",
        "Runtime of the containers, such as `runsc`; else the engine's default.",
    ),
    setting(
        "MCE_ALLOW_WEAK_LIMITS",
        BOOLEAN,
        "false",
        "Runs code although limits of memory, processes, processor time or open files are not in force.",
    ),
    setting(
        "MCE_EXECUTION_TIMEOUT_SECONDS",
        SECONDS,
        "30",
        "Time an execution has.",
    )
    .or(&["MCP_BRIDGE_TIMEOUT"]),
    setting(
        "MCE_MAX_EXECUTION_TIMEOUT_SECONDS",
        SECONDS,
        "120",
        "Most time a caller can ask for.",
    )
    .or(&["MCP_BRIDGE_MAX_TIMEOUT"]),
    setting(
        "MCE_SANDBOX_MEMORY",
        SIZE,
        "256m",
        "Memory of a container, swap included.",
    )
    .or(&["MCP_BRIDGE_MEMORY"]),
    setting(
        "MCE_SANDBOX_CPUS",
        "number",
        "0.5",
        "Processors of a container.",
    )
    .or(&["MCP_BRIDGE_CPUS"]),
    setting(
        "MCE_SANDBOX_PIDS",
        COUNT,
        "128",
        "Processes and threads of a container.",
    )
    .or(&["MCP_BRIDGE_PIDS"]),
    setting(
        "MCE_SANDBOX_USER",
        "`uid:gid`, not root",
        "65534:65534",
        "User of the code in a container.",
    )
    .or(&["MCP_BRIDGE_CONTAINER_USER"]),
    setting(
        "MCE_SANDBOX_MODE",
        "`warm` or `cold`",
        "warm",
        "Whether started containers are held ready; each is used once either way.",
    ),
    setting(
        "MCE_WARM_POOL_SIZE",
        COUNT,
        "2",
        "How many containers are held ready at most: as many as were asked for of late.",
    ),
    setting(
        "MCE_WARM_POOL_MINIMUM",
        COUNT,
        "1",
        "How many containers are held ready also while nothing runs; never more than the size.",
    ),
    setting(
        "MCE_WARM_POOL_MAX_AGE_SECONDS",
        SECONDS,
        "600",
        "After this a container that waits is replaced.",
    ),
    setting(
        "MCE_WARM_POOL_STARTS",
        COUNT,
        "2",
        "Containers that are started at once; where more executions wait for one, as many as the engine has \
         processors.",
    ),
    setting(
        "MCE_MAX_CONCURRENT_EXECUTIONS",
        COUNT,
        "8",
        "Executions a process runs at once; further ones wait, callers in turn.",
    ),
    setting(
        "MCE_MAX_QUEUED_EXECUTIONS",
        COUNT,
        "64",
        "Executions that may wait; further ones end with `busy`. Where it is full, who has most waiting, or had a turn last, makes room for who has less.",
    ),
    setting(
        "MCE_QUEUE_SECONDS",
        SECONDS,
        "10",
        "After this an execution that waits ends with `busy`.",
    ),
    setting(
        "MCE_SESSION_IDLE_SECONDS",
        SECONDS,
        "600",
        "After this a session in which nothing runs ends.",
    ),
    setting(
        "MCE_SESSION_MAX_SECONDS",
        SECONDS,
        "3600",
        "After this a session ends, once nothing runs in it.",
    ),
    setting(
        "MCE_MAX_SESSIONS",
        COUNT,
        "8",
        "Sessions a process keeps, each with a container; one caller may have half of them.",
    ),
];
