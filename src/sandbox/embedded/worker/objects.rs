//! What stands in the code for compiled servers and their functions.

use super::errors::{API_ERROR, EGRESS_ERROR};
use crate::sandbox::embedded::signatures::{Functions, Signature};
use monty_types::{
    DictPairs, MontyClassInstance, MontyClassType, MontyObject, MontyType, MontyUuid,
};

/// An object of the host in the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Object {
    /// `SERVER.functions`.
    Module(String),
    /// A compiled function, perhaps with a media type chosen for its body.
    Operation {
        server: String,
        function: String,
        content_type: Option<String>,
    },
    /// `NULL`: a JSON null that is given.
    Null,
}

/// The objects that were handed out so far.
#[derive(Debug, Default)]
pub(super) struct Objects {
    functions: Functions,
    known: Vec<Object>,
}

impl Objects {
    /// Lets the functions of a job be known, beside those of earlier ones.
    pub(super) fn add(&mut self, functions: Functions) {
        for (server, functions) in functions {
            self.functions.entry(server).or_default().extend(functions);
        }
    }

    /// A function of a server.
    pub(super) fn function(&mut self, server: &str, function: &str) -> Option<MontyObject> {
        self.functions.get(server)?.get(function)?;
        Some(self.object(Object::Operation {
            server: server.to_owned(),
            function: function.to_owned(),
            content_type: None,
        }))
    }

    /// What is known of a function.
    pub(super) fn signature(&self, server: &str, function: &str) -> Option<&Signature> {
        self.functions.get(server)?.get(function)
    }

    /// An object as the interpreter holds it. Functions are classes: those alone can be called.
    pub(super) fn object(&mut self, object: Object) -> MontyObject {
        let known = self.known.iter().position(|known| *known == object);
        let number = known.unwrap_or(self.known.len());
        let id = |half: u128| MontyUuid::from_u128((number as u128 + 1) * 2 + half);
        let (name, is_class) = match &object {
            Object::Module(_) => ("functions".to_owned(), false),
            Object::Operation { function, .. } => (function.clone(), true),
            Object::Null => ("NULL".to_owned(), false),
        };
        if known.is_none() {
            self.known.push(object);
        }
        let class = MontyClassType {
            name,
            id: id(0),
            host_defined: true,
            is_dataclass: false,
            attrs: DictPairs::from(Vec::new()),
        };
        if is_class {
            return MontyObject::Type(MontyType::Instance(Box::new(class)));
        }
        MontyObject::ClassInstance(Box::new(MontyClassInstance {
            class_type: class,
            instance_id: id(1),
            attrs: DictPairs::from(Vec::new()),
        }))
    }

    /// The object of an id that the interpreter names.
    pub(super) fn of(&self, id: MontyUuid) -> Option<&Object> {
        let number = u128::from_be_bytes(*id.as_bytes()) / 2;
        let number = usize::try_from(number.checked_sub(1)?).ok()?;
        self.known.get(number)
    }

    /// Whether a value is `NULL`.
    pub(super) fn is_null(&self, value: &MontyObject) -> bool {
        matches!(value, MontyObject::ClassInstance(instance)
            if self.of(instance.instance_id) == Some(&Object::Null))
    }

    /// An attribute of a module.
    pub(super) fn attribute(&mut self, of: &Object, name: &str) -> Option<MontyObject> {
        let Object::Module(server) = of else {
            return None;
        };
        let class = |class| MontyObject::Type(MontyType::Exception(class));
        match name {
            "ApiError" => Some(class(API_ERROR)),
            "EgressError" => Some(class(EGRESS_ERROR)),
            "NULL" => Some(self.object(Object::Null)),
            _ => self.function(server, name),
        }
    }
}
