//! The features of AlexNet's convolutions, computed once per instance and kept in a file.
//!
//! The file is a safetensors file with the tensor `features` (instances × 9,216) and `ids`, the names of the instances joined by
//! line breaks. Its metadata have a key: a hash of the weights, the input and [`VERSION`]. A file with another key is never
//! read; one with the same key is completed, so that new instances cost only their own time.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use burn::tensor::Device;
use indicatif::{ProgressBar, ProgressStyle};
use safetensors::tensor::{Dtype, TensorView};
use safetensors::{SafeTensors, serialize_to_file};
use throng_lab::select::InstanceId;
use throng_lab::select::pictures::Input;

use crate::interrupt;
use crate::networks::{ALEXNET_FEATURES, Convolutions};
use crate::samples::{picture_batch, quantised, scenes};

/// Counts changes of pictures and networks that change features.
const VERSION: u32 = 1;

/// The number of pictures per batch.
const BATCH: usize = 16;

/// The instances that are opened and kept before the file is written: what an interruption loses.
const CHUNK: usize = 256;

/// Cached features.
pub(crate) struct Cache {
    path: PathBuf,
    key: String,
    rows: HashMap<String, Vec<f32>>,
}

impl Cache {
    /// Opens the file of a kind of instances, or begins an empty one. `weights` is the hash of the file of weights.
    pub(crate) fn open(folder: &Path, kind: &str, input: Input, weights: u64) -> Result<Self> {
        let path = folder.join(format!("{kind}-{}.safetensors", input.name()));
        let key = format!("{weights:016x}-{}-{VERSION}", input.name());
        let mut cache = Self { path, key, rows: HashMap::new() };
        if cache.path.is_file() {
            let bytes =
                fs::read(&cache.path).with_context(|| format!("cannot read {}", cache.path.display()))?;
            cache.rows = read(&bytes, &cache.key).with_context(|| {
                format!("cannot use {}: remove it, and run `throng-train features`", cache.path.display())
            })?;
        }
        Ok(cache)
    }

    /// Returns the features of instances.
    pub(crate) fn features(&self, ids: &[InstanceId]) -> Result<Vec<Vec<f32>>> {
        let row = |id: &InstanceId| self.rows.get(&id.to_string()).cloned();
        let missing = ids.iter().filter(|id| !self.rows.contains_key(&id.to_string())).count();
        let rows: Option<Vec<_>> = ids.iter().map(row).collect();
        rows.ok_or_else(|| {
            anyhow!(
                "{} lacks {missing} of {} instances: run `throng-train features`",
                self.path.display(),
                ids.len()
            )
        })
    }

    /// Computes the features of instances that the file lacks. Returns their number.
    pub(crate) fn complete(
        &mut self,
        ids: &[InstanceId],
        input: Input,
        convolutions: &Convolutions,
        device: &Device,
    ) -> Result<usize> {
        let missing: Vec<InstanceId> =
            ids.iter().filter(|id| !self.rows.contains_key(&id.to_string())).cloned().collect();
        let bar = ProgressBar::new(missing.len() as u64)
            .with_style(ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len}, {eta} left")?)
            .with_message(format!("features {}", self.path.display()));
        for chunk in missing.chunks(CHUNK) {
            for (ids, scenes) in chunk.chunks(BATCH).zip(scenes(chunk)?.chunks(BATCH)) {
                let bytes: Vec<Vec<u8>> =
                    scenes.iter().map(|scene| quantised(&scene.picture(input))).collect();
                let batch: Vec<(&[u8], usize)> = bytes.iter().map(|bytes| (bytes.as_slice(), 0)).collect();
                let found: Vec<f32> =
                    convolutions.features(picture_batch(input, &batch, device)).into_data().try_to_vec()?;
                for (id, row) in ids.iter().zip(found.chunks(ALEXNET_FEATURES)) {
                    self.rows.insert(id.to_string(), row.to_vec());
                }
                bar.inc(ids.len() as u64);
                if interrupt::requested() {
                    self.write()?;
                    bail!("interrupted; the same command continues");
                }
            }
            self.write()?;
        }
        bar.finish_and_clear();
        Ok(missing.len())
    }

    /// Writes the file in one step.
    fn write(&self) -> Result<()> {
        let mut ids: Vec<&String> = self.rows.keys().collect();
        ids.sort_unstable();
        let names = ids.iter().map(|id| id.as_str()).collect::<Vec<_>>().join("\n");
        let data: Vec<u8> =
            ids.iter().flat_map(|id| &self.rows[*id]).flat_map(|value| value.to_le_bytes()).collect();
        let width = self.rows.values().next().map_or(0, Vec::len);
        let tensors = [
            ("features", TensorView::new(Dtype::F32, vec![ids.len(), width], &data)?),
            ("ids", TensorView::new(Dtype::U8, vec![names.len()], names.as_bytes())?),
        ];
        let key = HashMap::from([("key".to_owned(), self.key.clone())]);
        let temporary = self.path.with_extension("partial");
        fs::create_dir_all(self.path.parent().unwrap_or(Path::new(".")))?;
        serialize_to_file(tensors, Some(key), &temporary)?;
        Ok(fs::rename(&temporary, &self.path)?)
    }
}

/// Reads the features of a file that has the key.
fn read(bytes: &[u8], key: &str) -> Result<HashMap<String, Vec<f32>>> {
    let (_, header) = SafeTensors::read_metadata(bytes)?;
    let found = header.metadata().as_ref().and_then(|metadata| metadata.get("key"));
    if found.map(String::as_str) != Some(key) {
        bail!("it was made with other weights, inputs or another version");
    }
    let file = SafeTensors::deserialize(bytes)?;
    let (features, ids) = (file.tensor("features")?, file.tensor("ids")?);
    let names = std::str::from_utf8(ids.data())?;
    let &[count, width] = features.shape() else { bail!("`features` is no matrix") };
    let values: Vec<f32> =
        features.data().as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    let rows: HashMap<String, Vec<f32>> =
        names.lines().map(str::to_owned).zip(values.chunks(width.max(1)).map(<[f32]>::to_vec)).collect();
    if rows.len() != count {
        bail!("it has {count} rows for {} instances", rows.len());
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_kept_and_stale_ones_are_refused() {
        let folder = crate::testing::TemporaryFolder::new();
        let ids = ["b", "a"].map(|name| InstanceId::Map(name.to_owned()));
        let mut cache = Cache::open(folder.path(), "maps", Input::Thesis, 7).unwrap();
        let missing = cache.features(&ids).unwrap_err().to_string();
        assert!(missing.contains("lacks 2 of 2") && missing.contains("throng-train features"), "{missing}");
        cache.rows.insert("a".to_owned(), vec![1.0, 2.0]);
        cache.rows.insert("b".to_owned(), vec![3.0, 4.0]);
        cache.write().unwrap();
        let again = Cache::open(folder.path(), "maps", Input::Thesis, 7).unwrap();
        assert_eq!(again.features(&ids).unwrap(), [[3.0, 4.0], [1.0, 2.0]]);
        let Err(error) = Cache::open(folder.path(), "maps", Input::Thesis, 8) else {
            panic!("other weights")
        };
        assert!(format!("{error:#}").contains("other weights"), "{error:#}");
        fs::write(&again.path, "cut").unwrap();
        assert!(Cache::open(folder.path(), "maps", Input::Thesis, 7).is_err());
    }
}
