//! One `docker build`.

use std::collections::{BTreeSet, HashMap};

use bollard::query_parameters::BuildImageOptionsBuilder;
use futures::StreamExt;

use super::{Progress, Report};
use crate::sandbox::docker::engine::Engine;
use crate::sandbox::docker::error::{Error, reason};

/// What is built.
pub(super) struct Recipe<'a> {
    /// The name that the image gets.
    pub(super) tag: String,
    pub(super) dockerfile: &'a str,
    /// The argument `BASE`.
    pub(super) base: &'a str,
    pub(super) network: Option<&'a str>,
    pub(super) labels: HashMap<String, String>,
    /// A folder beside the recipe, and the files in it.
    pub(super) folder: &'a str,
    pub(super) files: Vec<(&'a str, &'a [u8])>,
}

impl Recipe<'_> {
    /// Builds the image and returns its id.
    pub(super) async fn build(
        &self,
        engine: &Engine,
        report: &mut Report<'_>,
    ) -> Result<String, Error> {
        let context = self
            .context()
            .map_err(|error| Error::Internal(error.to_string()))?;
        let mut options = BuildImageOptionsBuilder::new()
            .dockerfile("Dockerfile")
            .t(&self.tag)
            .rm(true)
            .forcerm(true)
            .labels(&self.labels)
            .buildargs(&HashMap::from([("BASE", self.base)]));
        if let Some(network) = self.network {
            options = options.networkmode(network);
        }
        let body = bollard::body_full(context.into());
        let mut steps =
            std::pin::pin!(engine.docker.build_image(options.build(), None, Some(body)));
        while let Some(step) = steps.next().await {
            let step = step.map_err(|error| Error::Build {
                message: reason(&error),
            })?;
            if let Some(error) = step.error_detail {
                let message = error
                    .message
                    .unwrap_or_else(|| "no reason given".to_owned());
                return Err(Error::Build { message });
            }
            for line in [step.stream, step.status].iter().flatten() {
                let line = line.trim();
                if !line.is_empty() {
                    report(Progress::Detail(line));
                }
            }
        }
        engine.image_id(&self.tag).await
    }

    fn context(&self) -> std::io::Result<Vec<u8>> {
        let mut archive = tar::Builder::new(Vec::new());
        add(&mut archive, "Dockerfile", self.dockerfile.as_bytes())?;
        // Named, so that the engine does not choose who may look into them.
        let paths = self.files.iter().map(|(path, _)| *path);
        let parents: BTreeSet<&str> = paths.flat_map(parents).collect();
        for parent in std::iter::once("").chain(parents) {
            let mut folder = tar::Header::new_gnu();
            folder.set_entry_type(tar::EntryType::Directory);
            folder.set_size(0);
            folder.set_mode(0o755);
            let path = format!("{}/{parent}", self.folder);
            archive.append_data(&mut folder, path, std::io::empty())?;
        }
        for (path, content) in &self.files {
            add(&mut archive, &format!("{}/{path}", self.folder), content)?;
        }
        archive.into_inner()
    }
}

/// The folders above a path, each with a `/` at its end.
fn parents(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/')
        .filter_map(|(at, _)| path.get(..=at))
}

fn add(archive: &mut tar::Builder<Vec<u8>>, path: &str, content: &[u8]) -> std::io::Result<()> {
    let mut file = tar::Header::new_gnu();
    file.set_size(content.len() as u64);
    file.set_mode(0o644);
    archive.append_data(&mut file, path, content)
}

#[cfg(test)]
mod tests {
    use super::parents;

    #[test]
    fn a_path_lies_in_each_of_its_folders() {
        assert_eq!(parents("a/b/c.py").collect::<Vec<_>>(), ["a/", "a/b/"]);
        assert_eq!(parents("c.py").count(), 0);
    }
}
