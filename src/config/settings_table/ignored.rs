//! What is accepted and has no effect.

use super::{BOOLEAN, SECONDS, Setting, ignored};

const BRIDGE: &str = "bridging other MCP servers comes with a later version";
const NO_NETWORK: &str = "the sandbox has no network";
const NO_LLM: &str = "improving docstrings with a model comes with a later version";

pub(super) const IGNORED: &[Setting] = &[
    ignored(
        "MCE_USER_TOOLS",
        BOOLEAN,
        "Lets code save tools of its own.",
        BRIDGE,
    ),
    ignored(
        "MCE_COMPILE_ON_STARTUP",
        BOOLEAN,
        "Compiles before serving.",
        "`mce run` compiles and serves",
    ),
    ignored("MCE_LLM_ENHANCE", BOOLEAN, "Improves docstrings.", NO_LLM),
    ignored(
        "MCE_LLM_API_KEY",
        "secret",
        "Key of the model that improves docstrings.",
        NO_LLM,
    ),
    ignored(
        "MCE_LLM_MODEL",
        "model",
        "The model that improves docstrings.",
        NO_LLM,
    ),
    ignored(
        "MCE_SANDBOX_REQUIREMENTS_PATH",
        "path",
        "List of the sandbox's libraries.",
        "the image itself is asked which libraries it has",
    ),
    ignored(
        "MCE_NETWORK_MODE",
        "network",
        "Network of the sandbox.",
        NO_NETWORK,
    ),
    ignored(
        "MCE_EXEC_CODE",
        "code",
        "Code for the container.",
        "code reaches the sandbox over its stream",
    ),
    ignored(
        "MCE_EXEC_TIMEOUT",
        SECONDS,
        "Time the container gives the code.",
        "the host keeps the time: `MCE_EXECUTION_TIMEOUT_SECONDS`",
    ),
    ignored(
        "MCP_BRIDGE_RUNTIME",
        "`podman` or `docker`",
        "The container engine.",
        "either engine is found by its socket, or named by `MCE_DOCKER_HOST`",
    ),
    ignored(
        "MCP_BRIDGE_RUNTIME_IDLE_TIMEOUT",
        SECONDS,
        "When an idle Podman machine is stopped.",
        "mce does not start or stop machines that others may use",
    ),
    ignored(
        "MCP_BRIDGE_STATE_DIR",
        "path",
        "State of the bridge.",
        BRIDGE,
    ),
    ignored(
        "MCP_BRIDGE_ALLOW_SELF_SERVER",
        BOOLEAN,
        "Lets the bridge start itself.",
        BRIDGE,
    ),
    ignored(
        "MCP_SERVERS_CONFIG",
        "path",
        "Further list of MCP servers.",
        BRIDGE,
    ),
];
