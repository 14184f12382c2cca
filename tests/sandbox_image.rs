//! The image's recipe, built by a real engine.

mod sandbox_support;

use mce::sandbox::docker::{Engine, Error, image};
use sandbox_support::{docker, engine, place_with, settings, value};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn the_recipe_builds_on_a_base_that_holds_the_packages_and_code_runs_in_it() {
    engine();
    let mut settings = settings();
    let base = settings.docker_image.clone();
    let name = format!("mce-test-image:{}", std::process::id());
    let connection = Engine::connect(&settings).await.unwrap();
    let mut lines = Vec::new();
    let built = image::build(&connection, &name, &base, |line| {
        lines.push(line.to_owned());
    })
    .await;
    assert!(built.unwrap().starts_with("sha256:"));
    assert!(
        lines
            .iter()
            .any(|line| line.to_ascii_lowercase().starts_with("step 1/")),
        "{lines:?}"
    );

    settings.docker_image = name.clone();
    let place = place_with(&settings).await;
    let outcome = place
        .run("import httpx, orjson, pydantic\nhttpx.__version__")
        .await;
    assert_eq!(value(&outcome), &json!("0.28.1"));
    place.close().await;
    docker(&["rmi", "--force", &name]).output().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_base_that_cannot_be_had_is_an_error_that_names_the_way_without_a_registry() {
    engine();
    let connection = Engine::connect(&settings()).await.unwrap();
    let base = "registry.invalid/mce/no-such-base:1";
    let error = image::build(&connection, "mce-test-image:none", base, |_| ())
        .await
        .unwrap_err();
    assert!(matches!(error, Error::Build { .. }), "{error}");
    assert!(error.to_string().contains("scripts/engine"), "{error}");
}
