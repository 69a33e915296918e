//! The declarations of the generated header, as data.

/// What the header declares.
#[derive(Debug, Default)]
pub(crate) struct Declarations {
    pub(crate) constants: Vec<(String, String)>,
    pub(crate) enums: Vec<Enum>,
    pub(crate) structs: Vec<Struct>,
    pub(crate) functions: Vec<Function>,
    /// The names of types that are numbers, and those numbers.
    pub(crate) aliases: Vec<(String, String)>,
}

/// An enumeration.
#[derive(Debug)]
pub(crate) struct Enum {
    pub(crate) doc: Vec<String>,
    pub(crate) name: String,
    pub(crate) values: Vec<(Vec<String>, String, String)>,
}

/// A structure.
#[derive(Debug)]
pub(crate) struct Struct {
    pub(crate) doc: Vec<String>,
    pub(crate) name: String,
    pub(crate) fields: Vec<Field>,
}

/// A field of a structure or a parameter of a function.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) doc: Vec<String>,
    /// The type without `const` and `*`.
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) is_const: bool,
    pub(crate) is_pointer: bool,
    /// The length of an array.
    pub(crate) length: Option<usize>,
}

/// A function; all return a `ThrongStatus`.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) doc: Vec<String>,
    pub(crate) name: String,
    pub(crate) parameters: Vec<Field>,
}

impl Declarations {
    /// Reads a header as cbindgen writes it.
    pub(crate) fn parse(header: &str) -> Self {
        let mut found = Self::default();
        let mut doc = Vec::new();
        let mut lines = header.lines();
        while let Some(line) = lines.next() {
            if let Some(text) = line.trim_start().strip_prefix("//") {
                doc.push(text.trim().to_owned());
                continue;
            }
            let doc = std::mem::take(&mut doc);
            if let Some(rest) = line.strip_prefix("#define THRONG_") {
                if let Some((name, value)) = rest.split_once(' ') {
                    found.constants.push((format!("THRONG_{name}"), value.to_owned()));
                }
            } else if let Some(name) = line.strip_prefix("enum Throng") {
                let name = format!("Throng{}", name.split_whitespace().next().unwrap_or_default());
                found.enums.push(Enum { doc, name, values: values(&mut lines) });
            } else if let Some(name) = line.strip_prefix("typedef struct ") {
                let name = name.trim_end_matches(" {").to_owned();
                found.structs.push(Struct { doc, name, fields: fields(&mut lines) });
            } else if let Some(rest) = line.strip_prefix("typedef uint64_t ") {
                found.aliases.push((rest.trim_end_matches(';').to_owned(), "uint64_t".to_owned()));
            } else if line.starts_with("ThrongStatus throng_") {
                let mut text = line.to_owned();
                while !text.ends_with(");") {
                    text += lines.next().expect("a declaration ends").trim_start();
                }
                found.functions.push(function(doc, &text));
            }
        }
        found
    }
}

fn values<'a>(lines: &mut impl Iterator<Item = &'a str>) -> Vec<(Vec<String>, String, String)> {
    let (mut doc, mut values) = (Vec::new(), Vec::new());
    for line in lines.map(str::trim).take_while(|line| !line.starts_with('}')) {
        if let Some(text) = line.strip_prefix("//") {
            doc.push(text.trim().to_owned());
        } else if let Some((name, value)) = line.trim_end_matches(',').split_once(" = ") {
            values.push((std::mem::take(&mut doc), name.to_owned(), value.to_owned()));
        }
    }
    values
}

fn fields<'a>(lines: &mut impl Iterator<Item = &'a str>) -> Vec<Field> {
    let (mut doc, mut fields) = (Vec::new(), Vec::new());
    for line in lines.map(str::trim).take_while(|line| !line.starts_with('}')) {
        if let Some(text) = line.strip_prefix("//") {
            doc.push(text.trim().to_owned());
        } else if let Some(text) = line.strip_suffix(';') {
            fields.push(field(std::mem::take(&mut doc), text));
        }
    }
    fields
}

/// Reads a field or a parameter such as `const struct ThrongPos *points` or `uint8_t halves[7]`.
fn field(doc: Vec<String>, text: &str) -> Field {
    let is_const = text.starts_with("const ");
    let text = text.trim_start_matches("const ").trim_start_matches("struct ");
    let (kind, name) = text.rsplit_once(' ').expect("a type and a name");
    let is_pointer = name.starts_with('*');
    let (name, length) = match name.trim_start_matches('*').split_once('[') {
        Some((name, length)) => (name, length.trim_end_matches(']').parse().ok()),
        None => (name.trim_start_matches('*'), None),
    };
    Field { doc, kind: kind.to_owned(), name: name.to_owned(), is_const, is_pointer, length }
}

fn function(doc: Vec<String>, text: &str) -> Function {
    let text = text.trim_start_matches("ThrongStatus ").trim_end_matches(");");
    let (name, parameters) = text.split_once('(').expect("a list of parameters");
    let parameters = parameters.split(',').map(|parameter| field(Vec::new(), parameter.trim())).collect();
    Function { doc, name: name.to_owned(), parameters }
}
