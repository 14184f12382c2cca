//! The image's recipe and its checks, by a real engine. No registry is needed: the base is the image
//! that `scripts/engine` made.

mod sandbox_support;

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use mce::sandbox::docker::Error;
use mce::sandbox::docker::image::{Base, Request};
use sandbox_support::wheels::Wheel;
use sandbox_support::workshop::{Workshop, docker, id_of, labels_of, names, variant};
use sandbox_support::{containers, place_with, settings, value};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn the_recipe_builds_on_a_base_that_holds_the_packages_and_code_runs_in_it() {
    let workshop = Workshop::new("recipe");
    let (built, lines) = workshop.build_as("", &workshop.request()).await;
    let built = built.unwrap();
    let base_id = id_of(&workshop.base).unwrap();
    assert_eq!(
        built.base,
        Base {
            name: workshop.base.clone(),
            pinned: base_id.clone(),
            id: base_id.clone(),
            note: Some(format!(
                "`{}` was made on this engine and is pinned by its id",
                workshop.base
            )),
        }
    );
    assert!(
        lines
            .iter()
            .any(|line| line.to_ascii_lowercase().starts_with("step 1/"))
            && lines.contains(&format!("building on {base_id}"))
            && lines.contains(&"checking the image".to_owned()),
        "{lines:?}"
    );
    assert!(built.python.starts_with("3.13."), "{}", built.python);
    assert!(names(&built, false).contains(&"httpx==0.28.1 httpx".to_owned()));
    assert_eq!(names(&built, true), [""; 0]);
    assert_eq!((built.lock_written, built.warnings.len()), (false, 0));
    assert_eq!(id_of(&workshop.image), Some(built.image_id));
    assert_eq!(labels_of(&workshop.image)["mce.base"], base_id);

    let place = place_with(&workshop.settings("")).await;
    let outcome = place
        .run("import httpx, orjson, pydantic\nhttpx.__version__")
        .await;
    assert_eq!(value(&outcome), &json!("0.28.1"));
    place.close().await;

    // What mce built is not built on again.
    let again = Request {
        base: workshop.image.clone(),
        ..workshop.request()
    };
    let again = workshop.build_as("", &again).await.0.unwrap();
    assert_eq!(again.base.id, base_id);
    assert!(again.base.note.unwrap().contains("itself built by mce"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_base_that_cannot_be_had_is_an_error_that_names_the_way_without_a_registry() {
    let workshop = Workshop::new("no-base");
    let request = Request {
        base: "registry.invalid/mce/no-such-base:1".to_owned(),
        ..workshop.request()
    };
    let error = workshop.build_as("", &request).await.0.unwrap_err();
    assert!(matches!(error, Error::Build { .. }), "{error}");
    assert!(error.to_string().contains("scripts/engine"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_image_that_fails_a_check_gets_no_name() {
    let mut workshop = Workshop::new("checks");
    let older = "import pathlib; \
                 file = pathlib.Path(\"/opt/mce/site/httpx-0.28.1.dist-info/METADATA\"); \
                 text = file.read_text().replace(\"Version: 0.28.1\", \"Version: 0.27.0\"); \
                 file.write_text(text)";
    workshop.base = variant("wrong-base", &format!("RUN python3 -I -B -c '{older}'"));
    docker(&["tag", &settings().docker_image, &workshop.image]);
    let before = id_of(&workshop.image);
    let error = workshop.build("").await.unwrap_err();
    docker(&["rmi", "--force", "--no-prune", &workshop.base]);
    let Error::Checks { problems } = error else {
        panic!("{error}");
    };
    assert_eq!(problems, "it has httpx 0.27.0, and 0.28.1 is needed");
    assert_eq!(id_of(&workshop.image), before);
}

#[test]
fn an_interrupted_build_leaves_nothing() {
    let workshop = Workshop::new("interrupt");
    workshop.add(&Wheel::new("mce-alpha", "1"));
    for step in ["building on", "checking the image", "adding the packages"] {
        let mut child = workshop
            .command(
                "mce-alpha==1",
                &[
                    "sandbox",
                    "build",
                    "--network",
                    "none",
                    "--base",
                    &workshop.base,
                    "--wheels",
                    "wheels",
                ],
            )
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let mut lines = stderr.lines().map(Result::unwrap);
        assert!(lines.any(|line| line.starts_with(step)), "{step}");
        let instances = workshop.instances();
        let id = child.id().to_string();
        let kill = Command::new("kill").args(["-INT", &id]).status().unwrap();
        assert!(kill.success());
        let rest: Vec<String> = lines.collect();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{step}: {rest:?}");
        assert_eq!(id_of(&workshop.image), None, "{step}");
        assert!(!workshop.path("sandbox.lock").exists(), "{step}");
        assert_eq!(instances.len(), 1, "{instances:?}");
        for instance in instances {
            let short = &instance[..12];
            for stage in ["base", "packages"] {
                let tag = format!("mce-build:mce-{short}-{stage}");
                assert_eq!(id_of(&tag), None, "{step}");
            }
            let left = containers(&format!("label=mce.instance={instance}"));
            assert_eq!(left, [""; 0], "{step}");
        }
    }
}
