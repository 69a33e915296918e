//! Pictures of instances, as the input of networks.
//!
//! D. Sigurdson, *Automatic Algorithm Selection in Videogame Pathfinding*, M.Sc. thesis, University of Alberta, 2018, chapters
//! 4 and 5, shows a network the map with starts and goals, resized to 227×227 pixels ([`Input::Thesis`]). Our pictures of 64×64
//! pixels have one channel per property, such as the density of starts and the contraflow of paths ([`Input::Channels`]). Large
//! maps lose detail when they are resized, which the thesis leaves to future work: [`Input::Crop`] shows the part that has
//! starts and goals, and [`Input::Pyramid`] the whole map and this part.

mod channels;
mod coarse;
mod region;
mod resize;
mod stored;
mod thesis;

use throng::{Cell, Ground};

pub use channels::{CHANNELS, CHANNELS_SIDE};
pub use region::Region;
pub use resize::resize;
pub use stored::{Scene, Scenes};
pub use thesis::{LINE, THESIS_SIDE};

/// What a network sees of an instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Input {
    /// The picture of the thesis.
    Thesis,
    /// The picture of the thesis, of the part with starts and goals.
    ThesisCrop,
    /// One channel per property.
    Channels,
    /// The same of the part with starts and goals.
    Crop,
    /// The channels of the whole map and those of the part.
    Pyramid,
}

impl Input {
    /// All inputs.
    pub const ALL: [Self; 5] = [Self::Thesis, Self::ThesisCrop, Self::Channels, Self::Crop, Self::Pyramid];

    /// Returns the name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Thesis => "thesis",
            Self::ThesisCrop => "thesis-crop",
            Self::Channels => "channels",
            Self::Crop => "crop",
            Self::Pyramid => "pyramid",
        }
    }

    /// Returns the input with a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|input| input.name() == name)
    }

    /// Returns true if the picture has colours, as AlexNet expects.
    pub const fn is_coloured(self) -> bool {
        matches!(self, Self::Thesis | Self::ThesisCrop)
    }

    /// Returns the number of channels.
    pub const fn channels(self) -> usize {
        match self {
            Self::Thesis | Self::ThesisCrop => 3,
            Self::Channels | Self::Crop => CHANNELS.len(),
            Self::Pyramid => 2 * CHANNELS.len(),
        }
    }

    /// Returns width and height.
    pub const fn side(self) -> usize {
        if self.is_coloured() { THESIS_SIDE } else { CHANNELS_SIDE }
    }

    /// Makes the picture of a problem: of a map if it has no agents, of a single agent if it has one, and else of a crowd.
    pub fn picture(self, ground: &Ground, ends: &[(Cell, Cell)]) -> ChannelPicture {
        let whole = Region::whole(ground);
        let crop = || Region::around(ground, ends);
        let values = match self {
            Self::Thesis => thesis::picture(ground, whole, ends),
            Self::ThesisCrop => thesis::picture(ground, crop(), ends),
            Self::Channels => channels::picture(ground, whole, ends),
            Self::Crop => channels::picture(ground, crop(), ends),
            Self::Pyramid => {
                let mut values = channels::picture(ground, whole, ends);
                values.extend(channels::picture(ground, crop(), ends));
                values
            }
        };
        ChannelPicture {
            channels: self.channels(),
            side: self.side(),
            is_coloured: self.is_coloured(),
            values,
        }
    }
}

/// A square picture with any number of channels.
#[derive(Clone, PartialEq, Debug)]
pub struct ChannelPicture {
    /// The number of channels.
    pub channels: usize,
    /// Width and height.
    pub side: usize,
    /// Whether the channels are red, green and blue.
    pub is_coloured: bool,
    /// The values from 0 to 1, by channel, row and column.
    pub values: Vec<f32>,
}

impl ChannelPicture {
    /// Returns width, height and the red, green and blue bytes of each pixel. Channels that are no colours are drawn in grey, side
    /// by side.
    pub fn rgb(&self) -> (usize, usize, Vec<u8>) {
        let byte = |value: f32| (value.clamp(0.0, 1.0) * 255.0).round() as u8;
        let at =
            |channel: usize, x: usize, y: usize| byte(self.values[(channel * self.side + y) * self.side + x]);
        if self.is_coloured {
            let pixels = (0..self.side).flat_map(|y| (0..self.side).map(move |x| (x, y)));
            let bytes = pixels.flat_map(|(x, y)| [at(0, x, y), at(1, x, y), at(2, x, y)]).collect();
            return (self.side, self.side, bytes);
        }
        let width = self.channels * self.side;
        let pixels = (0..self.side).flat_map(|y| (0..width).map(move |x| (x, y)));
        let bytes = pixels.flat_map(|(x, y)| [at(x / self.side, x % self.side, y); 3]).collect();
        (width, self.side, bytes)
    }

    /// Encodes the picture as a PNG file.
    ///
    /// # Errors
    /// If the encoder refuses it.
    pub fn png(&self) -> Result<Vec<u8>, png::EncodingError> {
        let (width, height, bytes) = self.rgb();
        encode_png(width, height, &bytes)
    }
}

/// Encodes red, green and blue bytes as a PNG file.
///
/// # Errors
/// If their number is not three per pixel.
pub fn encode_png(width: usize, height: usize, bytes: &[u8]) -> Result<Vec<u8>, png::EncodingError> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(bytes)?;
    writer.finish()?;
    Ok(file)
}

#[cfg(test)]
mod tests;
