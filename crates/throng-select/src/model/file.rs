//! The file format of models: little-endian integers, refused with a reason if anything is out of place.
//!
//! ```text
//! magic "throngmodel\0"   version u32   hash of the feature names u64
//! note                    length u32, UTF-8
//! margin                  i32
//! portfolio               count u32, then per planner: specification (length u32, UTF-8), base i32, error i32,
//!                         number of trees u32, then per tree: number of nodes u32, nodes
//! node                    feature u16 (65535 for a leaf), and for a split threshold i32, left u32; mean or leaf i32
//! checksum                u64: XXH3 of everything before it
//! ```

use twox_hash::XxHash3_64;

use super::{FEATURES, Forest, Model, Node};

const MAGIC: &[u8; 12] = b"throngmodel\0";
const VERSION: u32 = 1;
/// The feature number of a leaf.
const LEAF: u16 = u16::MAX;
/// Largest number of planners, of bytes of a text, and of nodes of a tree.
const MAX_PLANNERS: usize = 64;
const MAX_TEXT: usize = 4_096;
const MAX_NODES: usize = 4_096;
/// Largest number of trees of a planner, and of splits on a path: both bound the time of a prediction.
const MAX_TREES: usize = 1_024;
const MAX_DEPTH: u8 = 32;
/// Bytes of the smallest node: a leaf.
const MIN_NODE: usize = 6;

/// Why a model file is refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ModelError {
    /// The file does not begin like a model file.
    #[error("this is not a model file: it does not begin with the bytes \"throngmodel\"")]
    NotAModel,
    /// The file has another format version.
    #[error(
        "the model file has version {found}, this program reads version {VERSION}; train the model again"
    )]
    Version {
        /// The version of the file.
        found: u32,
    },
    /// The checksum does not match.
    #[error("the model file is damaged: its checksum does not match its contents")]
    Checksum,
    /// The file ends too early.
    #[error("the model file is cut short: {what} is missing at byte {at}")]
    CutShort {
        /// What was read.
        what: &'static str,
        /// Where it should be.
        at: usize,
    },
    /// The model was trained with other features.
    #[error("the model was trained with other features than this program computes; train the model again")]
    OtherFeatures,
    /// A part is larger than allowed, empty, or contradicts another part.
    #[error("the model is malformed: {0}")]
    Malformed(String),
}

/// Returns the hash of the names of all features in order.
fn feature_hash() -> u64 {
    let names: Vec<&str> = FEATURES.iter().map(|feature| feature.name).collect();
    checksum(names.join("\n").as_bytes())
}

pub(super) fn checksum(bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot(bytes)
}

/// Returns an error if a file could not hold the model or the model could not predict.
pub(super) fn validate(model: &Model) -> Result<(), ModelError> {
    let malformed = |reason: String| Err(ModelError::Malformed(reason));
    if model.margin < 0 {
        return malformed(format!("its margin is {}, allowed is 0 or more", model.margin));
    }
    if model.portfolio.is_empty() || model.portfolio.len() > MAX_PLANNERS {
        return malformed(format!(
            "it has {} planners, allowed are 1 to {MAX_PLANNERS}",
            model.portfolio.len()
        ));
    }
    for (i, planner) in model.portfolio.iter().enumerate() {
        if planner.is_empty() || model.portfolio[..i].contains(planner) {
            return malformed(format!("the planner {planner:?} is empty or named twice"));
        }
    }
    if let Some(text) = model.portfolio.iter().chain([&model.note]).find(|text| text.len() > MAX_TEXT) {
        return malformed(format!("a text has {} bytes, allowed are {MAX_TEXT}", text.len()));
    }
    for (planner, forest) in model.portfolio.iter().zip(&model.forests) {
        if forest.trees.len() > MAX_TREES {
            return malformed(format!("{planner} has {} trees, allowed are {MAX_TREES}", forest.trees.len()));
        }
        for (number, tree) in forest.trees.iter().enumerate() {
            if let Err(reason) = validate_tree(tree) {
                return malformed(format!("tree {number} of {planner}: {reason}"));
            }
        }
    }
    Ok(())
}

/// Checks that every path ends at a leaf after few splits: children lie behind their parent, inside of the tree.
fn validate_tree(tree: &[Node]) -> Result<(), String> {
    if tree.is_empty() || tree.len() > MAX_NODES {
        return Err(format!("it has {} nodes, allowed are 1 to {MAX_NODES}", tree.len()));
    }
    let mut depths = vec![0; tree.len()];
    for (at, node) in tree.iter().enumerate() {
        if let Node::Split { feature, left, .. } = *node {
            if usize::from(feature) >= FEATURES.len() {
                return Err(format!("node {at} asks for feature {feature}, there are {}", FEATURES.len()));
            }
            if left as usize <= at || left as usize + 1 >= tree.len() {
                return Err(format!(
                    "node {at} has the children {left} and the next, outside of the tree or before it"
                ));
            }
            if depths[at] == MAX_DEPTH {
                return Err(format!("a path to node {at} has more than {MAX_DEPTH} splits"));
            }
            for child in [left as usize, left as usize + 1] {
                depths[child] = depths[child].max(depths[at] + 1);
            }
        }
    }
    Ok(())
}

pub(super) fn write(model: &Model) -> Vec<u8> {
    let mut bytes = body(model);
    let checksum = checksum(&bytes);
    bytes.extend(checksum.to_le_bytes());
    bytes
}

/// Returns the file without its checksum.
pub(super) fn body(model: &Model) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(feature_hash().to_le_bytes());
    let count = |bytes: &mut Vec<u8>, count: usize| bytes.extend((count as u32).to_le_bytes());
    let text = |bytes: &mut Vec<u8>, text: &str| {
        count(bytes, text.len());
        bytes.extend(text.as_bytes());
    };
    text(&mut bytes, &model.note);
    bytes.extend(model.margin.to_le_bytes());
    count(&mut bytes, model.portfolio.len());
    for (planner, forest) in model.portfolio.iter().zip(&model.forests) {
        text(&mut bytes, planner);
        bytes.extend(forest.base.to_le_bytes());
        bytes.extend(forest.error.to_le_bytes());
        count(&mut bytes, forest.trees.len());
        for tree in &forest.trees {
            count(&mut bytes, tree.len());
            for node in tree {
                write_node(&mut bytes, *node);
            }
        }
    }
    bytes
}

fn write_node(bytes: &mut Vec<u8>, node: Node) {
    match node {
        Node::Split { feature, threshold, left, mean } => {
            bytes.extend(feature.to_le_bytes());
            bytes.extend(threshold.to_le_bytes());
            bytes.extend(left.to_le_bytes());
            bytes.extend(mean.to_le_bytes());
        }
        Node::Leaf { value } => {
            bytes.extend(LEAF.to_le_bytes());
            bytes.extend(value.to_le_bytes());
        }
    }
}

pub(super) fn read(bytes: &[u8]) -> Result<Model, ModelError> {
    let mut reader = Reader { bytes, at: 0 };
    if bytes.len() < MAGIC.len() || reader.take(MAGIC.len(), "the magic")? != MAGIC {
        return Err(ModelError::NotAModel);
    }
    let version = reader.count("the version")?;
    if version != VERSION {
        return Err(ModelError::Version { found: version });
    }
    let features = u64::from_le_bytes(reader.array("the hash of the features")?);
    let Some(end) = bytes.len().checked_sub(8).filter(|&end| end >= reader.at) else {
        return Err(ModelError::CutShort { what: "the checksum", at: bytes.len() });
    };
    let (body, stored) = bytes.split_at(end);
    if checksum(body).to_le_bytes() != *stored {
        return Err(ModelError::Checksum);
    }
    if features != feature_hash() {
        return Err(ModelError::OtherFeatures);
    }
    reader.bytes = body;
    let model = reader.model()?;
    if reader.at != body.len() {
        return Err(ModelError::Malformed(format!("{} bytes follow the last tree", body.len() - reader.at)));
    }
    validate(&model)?;
    Ok(model)
}

/// A position in the bytes of a file.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn take(&mut self, count: usize, what: &'static str) -> Result<&[u8], ModelError> {
        let end = self.at.checked_add(count).filter(|&end| end <= self.bytes.len());
        let Some(end) = end else { return Err(ModelError::CutShort { what, at: self.at }) };
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], ModelError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N, what)?);
        Ok(array)
    }

    fn count(&mut self, what: &'static str) -> Result<u32, ModelError> {
        self.array(what).map(u32::from_le_bytes)
    }

    fn number(&mut self, what: &'static str) -> Result<i32, ModelError> {
        self.array(what).map(i32::from_le_bytes)
    }

    /// Reads the number of items that follow. A number that the rest of the file cannot hold is refused before memory
    /// is allocated for it.
    fn length(&mut self, what: &'static str, item: usize) -> Result<usize, ModelError> {
        let count = self.count(what)? as usize;
        if count.saturating_mul(item) > self.bytes.len() - self.at {
            return Err(ModelError::CutShort { what, at: self.at });
        }
        Ok(count)
    }

    fn text(&mut self, what: &'static str) -> Result<String, ModelError> {
        let length = self.length(what, 1)?;
        let text = self.take(length, what)?.to_vec();
        String::from_utf8(text).map_err(|_| ModelError::Malformed(format!("{what} is not UTF-8")))
    }

    fn model(&mut self) -> Result<Model, ModelError> {
        let note = self.text("the note")?;
        let margin = self.number("the margin")?;
        let (mut portfolio, mut forests) = (Vec::new(), Vec::new());
        for _ in 0..self.length("the portfolio", 16)? {
            portfolio.push(self.text("a planner")?);
            let (base, error) = (self.number("a base")?, self.number("an error")?);
            let trees = self.length("the trees", 4 + MIN_NODE)?;
            let trees = (0..trees).map(|_| self.tree()).collect::<Result<_, _>>()?;
            forests.push(Forest { base, error, trees });
        }
        Ok(Model { portfolio, forests, note, margin })
    }

    fn tree(&mut self) -> Result<Vec<Node>, ModelError> {
        let nodes = self.length("a tree", MIN_NODE)?;
        (0..nodes).map(|_| self.node()).collect()
    }

    fn node(&mut self) -> Result<Node, ModelError> {
        let feature = u16::from_le_bytes(self.array("a node")?);
        if feature == LEAF {
            return Ok(Node::Leaf { value: self.number("a leaf")? });
        }
        let (threshold, left) = (self.number("a threshold")?, self.count("a child")?);
        Ok(Node::Split { feature, threshold, left, mean: self.number("a mean")? })
    }
}
