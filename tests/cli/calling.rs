//! `mce call` as somebody at a shell uses it.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::Stdio;
use std::thread::JoinHandle;

use serde_json::Value;

use crate::folder::{Folder, has};

const DOCUMENT: &str = "\
openapi: 3.0.3
info: {title: Notes, version: '1'}
servers: [{url: https://notes.example}]
paths:
  /notes/{code}:
    get:
      operationId: getNote
      parameters:
        - {name: code, in: path, required: true, schema: {type: string}}
        - {name: limit, in: query, schema: {type: integer}}
      responses: {'204': {description: fine}}
  /notes:
    get:
      operationId: listNotes
      responses: {'204': {description: fine}}
    post:
      operationId: addNote
      requestBody:
        required: true
        content:
          multipart/form-data:
            schema:
              type: object
              properties: {title: {type: string}, file: {type: string, format: binary}}
      responses: {'204': {description: fine}}
";

/// A compiled folder whose server is at a port.
fn notes(port: u16) -> Folder {
    let config = format!(
        "servers:\n  - {{name: notes, swagger_url: notes.yaml, base_url: 'http://127.0.0.1:{port}'}}\n"
    );
    Folder::new(&[("notes.yaml", DOCUMENT), ("swaggers.yaml", &config)]).compiled()
}

/// Answers one request, and gives what arrived.
fn once() -> (u16, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let answered = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut arrived = Vec::new();
        let mut some = [0; 4096];
        loop {
            let count = stream.read(&mut some).unwrap();
            arrived.extend(&some[..count]);
            let text = String::from_utf8_lossy(&arrived);
            let is_whole =
                text.starts_with("GET") && text.ends_with("\r\n\r\n") || text.ends_with("--\r\n");
            if count == 0 || is_whole {
                break;
            }
        }
        stream.write_all(b"HTTP/1.1 204 fine\r\n\r\n").unwrap();
        String::from_utf8(arrived).unwrap()
    });
    (port, answered)
}

fn called(folder: &Folder, arguments: &[&str]) -> (i32, Value) {
    folder.json(&[&["call"], arguments].concat())
}

#[test]
fn a_code_of_digits_is_sent_as_it_was_typed() {
    let (port, answered) = once();
    let folder = notes(port);
    let (code, result) = called(&folder, &["notes.get_note", "code=0017"]);
    assert_eq!(code, 0, "{result}");
    has(&answered.join().unwrap(), "GET /notes/0017 ");
}

/// The text `@note.txt` was sent.
#[test]
fn a_file_is_uploaded_from_the_shell() {
    let (port, answered) = once();
    let folder = notes(port);
    folder.write("note.txt", "hello");
    let arguments = ["notes.add_note", "body.file=@note.txt", "body.title=17"];
    let (code, result) = called(&folder, &arguments);
    assert_eq!(code, 0, "{result}");
    let arrived = answered.join().unwrap();
    has(&arrived, "filename=\"note.txt\"");
    has(&arrived, "\r\n\r\nhello\r\n");
    has(&arrived, "\r\n\r\n17\r\n");
}

#[test]
fn a_property_that_is_taken_for_an_argument_is_told_where_it_belongs() {
    let folder = notes(9);
    let (_, result) = called(&folder, &["notes.add_note", "title=x"]);
    assert_eq!(result["hint"], "`body.title=…` sets a member of the body");
}

#[test]
fn a_function_that_is_not_there_is_answered_with_those_that_are_near() {
    let folder = notes(9);
    let (_, result) = called(&folder, &["notes.note"]);
    assert_eq!(
        result["hint"],
        "did you mean `add_note`, `get_note`, `list_notes`?"
    );
    let (_, result) = called(&folder, &["notes.xyz"]);
    assert_eq!(result["hint"], "`mce call notes` lists what there is");
}

#[test]
fn a_server_alone_lists_its_functions() {
    let folder = notes(9);
    let seen = folder.mce(&["call", "notes"]);
    assert_eq!((seen.code, seen.stderr.as_str()), (0, ""));
    let lines: Vec<_> = seen.stdout.lines().collect();
    assert_eq!(
        lines,
        [
            "notes.get_note(code: str, limit: int = ...) -> None",
            "notes.list_notes() -> None",
            "notes.add_note(body: AddNoteBody) -> None",
        ]
    );
    let seen = folder.mce(&["call", "note"]);
    assert_eq!(seen.code, 2);
    has(&seen.stderr, "there are: notes");
}

/// `mce call … | true` was a success whatever came of the call.
#[test]
fn a_failure_is_one_where_nobody_reads_what_it_was() {
    let folder = notes(9);
    folder.write("code.py", "import os\n");
    for arguments in [
        &["call", "notes.get_note"][..],
        &["exec", "code.py"],
        &["guard", "code.py"],
    ] {
        let mut child = folder
            .command(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        assert_eq!(child.wait().unwrap().code(), Some(1), "{arguments:?}");
    }
}
