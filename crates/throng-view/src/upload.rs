//! Uploads that wait for the session, and the limit on their memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The largest number of bytes of uploads that wait for the session, of all browsers together: two of the largest files.
pub(crate) const MAX_WAITING_BYTES: usize = 2 * crate::rate::MAX_UPLOAD;

/// Counts the bytes that wait.
#[derive(Clone, Debug, Default)]
pub(crate) struct UploadBudget(Arc<AtomicUsize>);

/// A file that a browser has sent. It counts as waiting until it is dropped.
#[derive(Debug)]
pub(crate) struct Upload {
    bytes: Vec<u8>,
    budget: UploadBudget,
}

impl UploadBudget {
    /// Takes a file, `None` if too many bytes wait already.
    pub(crate) fn take(&self, bytes: &[u8]) -> Option<Upload> {
        let add = |waiting: usize| waiting.checked_add(bytes.len()).filter(|&sum| sum <= MAX_WAITING_BYTES);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).ok()?;
        Some(Upload { bytes: bytes.to_vec(), budget: self.clone() })
    }
}

impl Upload {
    /// Returns the content of the file.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        self.budget.0.fetch_sub(self.bytes.len(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_uploads_have_a_limit_together() {
        let (budget, file) = (UploadBudget::default(), vec![0; MAX_WAITING_BYTES / 2]);
        let (first, second) = (budget.take(&file).unwrap(), budget.take(&file).unwrap());
        assert!(budget.take(&[0]).is_none());
        drop(first);
        assert_eq!(budget.take(b"map").unwrap().bytes(), b"map");
        drop(second);
        assert_eq!(budget.0.load(Ordering::Relaxed), 0);
    }
}
