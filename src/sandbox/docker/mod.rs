//! The container sandbox: Docker or Podman through the Engine API.
