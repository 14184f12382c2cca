//! `CPython` as it is in the sandbox, asked whether it compiles code.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Compiles as the sandbox does, with `await` at the top level.
const SCRIPT: &str = "
import ast, json, sys, warnings
warnings.simplefilter('ignore')
for line in sys.stdin:
    try:
        compile(json.loads(line).removeprefix('\\ufeff'), 'code', 'exec', ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, True)
        print('ok', flush=True)
    except BaseException as error:
        print(repr(error)[:300].replace('\\n', ' '), flush=True)
";

/// An interpreter in a container of the sandbox's image, without network.
pub struct Cpython {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Cpython {
    /// Starts it.
    pub fn start() -> io::Result<Self> {
        let image = std::env::var("MCE_DOCKER_IMAGE").unwrap_or("mce-sandbox:latest".to_owned());
        let mut child = Command::new("docker")
            .args([
                "run",
                "--rm",
                "--interactive",
                "--network",
                "none",
                "--entrypoint",
                "python3",
            ])
            .args([image.as_str(), "-I", "-c", SCRIPT])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let missing = || io::Error::other("a pipe is missing");
        let input = child.stdin.take().ok_or_else(missing)?;
        let output = BufReader::new(child.stdout.take().ok_or_else(missing)?);
        Ok(Self {
            child,
            input,
            output,
        })
    }

    /// Why `CPython` does not compile the code, if it does not.
    pub fn refuses(&mut self, code: &str) -> io::Result<Option<String>> {
        writeln!(self.input, "{}", serde_json::Value::from(code))?;
        self.input.flush()?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        match line.trim_end() {
            "" => Err(io::Error::other("the interpreter ended")),
            "ok" => Ok(None),
            error => Ok(Some(error.to_owned())),
        }
    }
}

impl Drop for Cpython {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
