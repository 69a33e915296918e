//! The files of the page, embedded in the program.

/// A file of the page.
#[derive(Debug)]
pub(crate) struct Asset {
    path: &'static str,
    /// The value of `Content-Type`.
    pub(crate) kind: &'static str,
    pub(crate) bytes: &'static [u8],
}

macro_rules! assets {
    ($($kind:ident: $($name:literal)*;)*) => {
        &[$($(Asset {
            path: concat!("/", $name),
            kind: $kind,
            bytes: include_bytes!(concat!("../assets/", $name)),
        },)*)*]
    };
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

/// All files.
const ASSETS: &[Asset] = assets! {
    HTML: "index.html";
    CSS: "style.css";
    SVG: "icon.svg";
    SCRIPT: "main.js" "socket.js" "decode.js" "model.js" "camera.js" "glview.js" "canvasview.js" "overlay.js"
        "tools.js" "setup.js" "panels.js" "charts.js" "share.js" "paths.js" "results.js" "keys.js" "dom.js" "palette.js" "theme.js";
};

/// Returns the file of a path.
pub(crate) fn find(path: &str) -> Option<&'static Asset> {
    let path = if path == "/" { "/index.html" } else { path };
    ASSETS.iter().find(|asset| asset.path == path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_folder_is_embedded_and_every_import_exists() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/assets");
        for entry in std::fs::read_dir(folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name != "jsconfig.json" {
                assert!(find(&format!("/{name}")).is_some(), "{name} is not embedded");
            }
        }
        for asset in ASSETS.iter().filter(|asset| asset.kind == SCRIPT) {
            let text = std::str::from_utf8(asset.bytes).unwrap();
            let imports = text.split("from \"./").skip(1).map(|rest| rest.split('"').next().unwrap());
            for name in imports {
                assert!(find(&format!("/{name}")).is_some(), "{} imports {name}", asset.path);
            }
        }
    }
}
