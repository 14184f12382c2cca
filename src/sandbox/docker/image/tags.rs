//! The file name of a wheel, and whether it fits an image
//! ([Platform compatibility tags](https://packaging.python.org/en/latest/specifications/platform-compatibility-tags/)).

use std::str::FromStr;

use pep440_rs::Version;
use serde::Deserialize;

use crate::config::PackageName;

/// What a wheel has to fit.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Platform {
    /// Major and minor version of Python.
    pub(super) python: (u32, u32),
    /// The processor, such as `x86_64`.
    pub(super) machine: String,
    /// The C library, where it is one that wheels are built for.
    pub(super) libc: Option<Libc>,
}

/// A C library and its version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Libc {
    /// Of most distributions.
    Glibc(u32, u32),
    /// Of Alpine.
    Musl(u32, u32),
}

/// `NAME-VERSION(-BUILD)?-PYTHON-ABI-PLATFORM.whl`, the last three each one or more with dots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WheelName {
    pub(super) name: PackageName,
    pub(super) version: Version,
    pythons: Vec<String>,
    abis: Vec<String>,
    platforms: Vec<String>,
}

impl WheelName {
    /// `None` for what is not the name of a wheel.
    pub(super) fn parse(file: &str) -> Option<Self> {
        let parts: Vec<&str> = file.strip_suffix(".whl")?.split('-').collect();
        let ([name, version, pythons, abis, platforms]
        | [name, version, _, pythons, abis, platforms]) = *parts.as_slice()
        else {
            return None;
        };
        let tags = |text: &str| text.split('.').map(str::to_owned).collect();
        Some(Self {
            name: PackageName::from_str(name).ok()?,
            version: Version::from_str(version).ok()?,
            pythons: tags(pythons),
            abis: tags(abis),
            platforms: tags(platforms),
        })
    }

    /// How well the wheel fits: the higher the better; `None` where it does not.
    pub(super) fn rank(&self, platform: &Platform) -> Option<(u32, (u32, u32))> {
        let abi = self
            .pythons
            .iter()
            .flat_map(|python| self.abis.iter().map(move |abi| (python, abi)))
            .filter_map(|(python, abi)| platform.abi_rank(python, abi))
            .max()?;
        let platforms = self.platforms.iter();
        let place = platforms
            .filter_map(|tag| platform.platform_rank(tag))
            .max()?;
        Some((abi, place))
    }
}

impl Platform {
    fn abi_rank(&self, python: &str, abi: &str) -> Option<u32> {
        let (major, minor) = self.python;
        let version = |prefix: &str| -> Option<u32> {
            let digits = python.strip_prefix(prefix)?;
            digits.strip_prefix(&major.to_string())?.parse().ok()
        };
        if let Some(of) = version("cp") {
            return match abi {
                _ if abi == python => (of == minor).then_some(4),
                "abi3" => (of <= minor).then_some(3),
                "none" => (of == minor).then_some(2),
                _ => None,
            };
        }
        if abi != "none" {
            return None;
        }
        let fits = python == format!("py{major}") || version("py").is_some_and(|of| of <= minor);
        fits.then_some(1)
    }

    fn platform_rank(&self, tag: &str) -> Option<(u32, u32)> {
        if tag == "any" {
            return Some((0, 0));
        }
        let system = tag.strip_suffix(&format!("_{}", self.machine))?;
        match (system, self.libc) {
            ("linux", _) => Some((0, 1)),
            ("manylinux1", Some(Libc::Glibc(..))) => Some((2, 5)),
            ("manylinux2010", Some(Libc::Glibc(..))) => Some((2, 12)),
            ("manylinux2014", Some(Libc::Glibc(..))) => Some((2, 17)),
            (_, Some(Libc::Glibc(major, minor))) => {
                version_of(system, "manylinux_").filter(|least| *least <= (major, minor))
            }
            (_, Some(Libc::Musl(major, minor))) => {
                version_of(system, "musllinux_").filter(|least| *least <= (major, minor))
            }
            _ => None,
        }
    }

    /// The platforms of wheels as `pip download --platform` takes them, best first.
    pub(super) fn pip_platforms(&self) -> Vec<String> {
        let machine = &self.machine;
        match self.libc {
            Some(Libc::Glibc(..)) => vec![
                format!("manylinux_2_28_{machine}"),
                format!("manylinux2014_{machine}"),
            ],
            Some(Libc::Musl(..)) => vec![format!("musllinux_1_2_{machine}")],
            None => vec![format!("linux_{machine}")],
        }
    }
}

impl std::fmt::Display for Platform {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "Python {}.{} on {}",
            self.python.0, self.python.1, self.machine
        )?;
        match self.libc {
            Some(Libc::Glibc(major, minor)) => write!(f, " with glibc {major}.{minor}"),
            Some(Libc::Musl(major, minor)) => write!(f, " with musl {major}.{minor}"),
            None => Ok(()),
        }
    }
}

fn version_of(system: &str, prefix: &str) -> Option<(u32, u32)> {
    let (major, minor) = system.strip_prefix(prefix)?.split_once('_')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn platform() -> Platform {
        Platform {
            python: (3, 13),
            machine: "x86_64".to_owned(),
            libc: Some(Libc::Glibc(2, 36)),
        }
    }

    fn fits(file: &str, platform: &Platform) -> bool {
        WheelName::parse(file).unwrap().rank(platform).is_some()
    }

    #[test]
    fn a_wheel_fits_by_python_abi_system_and_processor() {
        for (file, expected) in [
            ("a-1-py3-none-any.whl", true),
            ("a-1-py2.py3-none-any.whl", true),
            ("a-1-py311-none-any.whl", true),
            ("a-1-py314-none-any.whl", false),
            ("a-1-py2-none-any.whl", false),
            (
                "a-1-cp313-cp313-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
                true,
            ),
            ("a-1-cp313-cp313t-manylinux2014_x86_64.whl", false),
            ("a-1-cp312-cp312-manylinux2014_x86_64.whl", false),
            ("a-1-cp38-abi3-manylinux2014_x86_64.whl", true),
            ("a-1-cp314-abi3-manylinux2014_x86_64.whl", false),
            ("a-1-cp313-cp313-manylinux_2_36_x86_64.whl", true),
            ("a-1-cp313-cp313-manylinux_2_39_x86_64.whl", false),
            ("a-1-cp313-cp313-musllinux_1_2_x86_64.whl", false),
            ("a-1-cp313-cp313-manylinux2014_aarch64.whl", false),
            ("a-1-cp313-cp313-macosx_11_0_arm64.whl", false),
            ("a-1-cp313-cp313-win_amd64.whl", false),
            ("a-1-cp313-none-any.whl", true),
            ("a-1-cp313-cp313-linux_x86_64.whl", true),
        ] {
            assert_eq!(fits(file, &platform()), expected, "{file}");
        }
        let musl = Platform {
            libc: Some(Libc::Musl(1, 2)),
            ..platform()
        };
        assert!(fits("a-1-cp313-cp313-musllinux_1_1_x86_64.whl", &musl));
        assert!(!fits("a-1-cp313-cp313-manylinux2014_x86_64.whl", &musl));
    }

    #[test]
    fn the_wheel_made_for_this_python_is_better_than_one_for_all() {
        let rank = |file: &str| WheelName::parse(file).unwrap().rank(&platform());
        assert!(
            rank("a-1-cp313-cp313-manylinux2014_x86_64.whl")
                > rank("a-1-cp311-abi3-manylinux_2_28_x86_64.whl")
        );
        assert!(rank("a-1-cp311-abi3-manylinux2014_x86_64.whl") > rank("a-1-py3-none-any.whl"));
    }

    #[test]
    fn names_are_normalised_and_what_is_no_wheel_has_none() {
        let wheel = WheelName::parse("Foo.Bar_baz-1.0.post1-2-py3-none-any.whl").unwrap();
        assert_eq!(wheel.name.to_string(), "foo-bar-baz");
        assert_eq!(wheel.version.to_string(), "1.0.post1");
        for file in [
            "a-1.tar.gz",
            "a-1-py3-none.whl",
            "a-x-py3-none-any.whl",
            ".whl",
        ] {
            assert_eq!(WheelName::parse(file), None, "{file}");
        }
    }
}
