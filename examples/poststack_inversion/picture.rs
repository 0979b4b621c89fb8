//! Sections as pictures.

use std::error::Error;
use std::path::Path;

use ndarray::Array2;
use plotters::prelude::*;
use plotters::style::register_font;

/// How numbers become colours.
#[derive(Clone, Copy, Debug)]
pub enum Colours {
    /// From dark blue to yellow, over the given range.
    Viridis(f64, f64),
    /// Blue below zero, red above, white between, up to the given magnitude.
    Seismic(f64),
}

impl Colours {
    fn range(self) -> (f64, f64) {
        match self {
            Self::Viridis(low, high) => (low, high),
            Self::Seismic(most) => (-most, most),
        }
    }

    fn of(self, value: f64) -> RGBColor {
        let (low, high) = self.range();
        let part = ((value - low) / (high - low).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0) as f32;
        match self {
            Self::Viridis(..) => ViridisRGB.get_color(part),
            Self::Seismic(_) => {
                let ends = [RGBColor(33, 60, 153), WHITE, RGBColor(165, 23, 32)];
                DerivedColorMap::new(&ends).get_color(part)
            }
        }
    }
}

/// The range of the middle 98 % of the values.
pub fn range(section: &Array2<f64>) -> (f64, f64) {
    let mut values: Vec<f64> = section.iter().copied().collect();
    values.sort_by(f64::total_cmp);
    let at = |part: f64| values[(part * (values.len() - 1) as f64) as usize];
    (at(0.01), at(0.99))
}

const SIZE: (u32, u32) = (1000, 640);
const FONT: &str = "sans-serif";

/// Writes `section` as a PNG file: traces from left to right, time downwards, a colour bar on the right.
pub fn write(
    path: &Path,
    title: &str,
    unit: &str,
    section: &Array2<f64>,
    step: f64,
    colours: Colours,
) -> Result<(), Box<dyn Error>> {
    let font = epaint_default_fonts::UBUNTU_LIGHT;
    register_font(FONT, FontStyle::Normal, font).map_err(|_| "the font cannot be read")?;
    let root = BitMapBackend::new(path, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let (left, right) = root.split_horizontally(SIZE.0 - 130);
    let (samples, traces) = section.dim();
    let mut chart = ChartBuilder::on(&left)
        .caption(title, (FONT, 22))
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(60)
        .build_cartesian_2d(0.0..traces as f64, (samples as f64 * step)..0.0)?;
    let area = chart.plotting_area();
    let (width, height) = area.dim_in_pixel();
    let at = |x: u32, y: u32| {
        let row = y as usize * samples / height as usize;
        section[(row, x as usize * traces / width as usize)]
    };
    let pixels = image(width, height, |x, y| colours.of(at(x, y)));
    let corner = (0.0, 0.0);
    if let Some(element) = BitMapElement::with_owned_buffer(corner, (width, height), pixels) {
        area.draw(&element)?;
    }
    chart
        .configure_mesh()
        .disable_mesh()
        .x_desc("trace")
        .y_desc("time (s)")
        .x_label_formatter(&|trace| format!("{trace:.0}"))
        .label_style((FONT, 15))
        .axis_desc_style((FONT, 16))
        .draw()?;
    bar(&right, unit, colours)?;
    root.present()?;
    Ok(())
}

/// The colour bar.
fn bar(
    area: &DrawingArea<BitMapBackend<'_>, plotters::coord::Shift>,
    unit: &str,
    colours: Colours,
) -> Result<(), Box<dyn Error>> {
    let (low, high) = colours.range();
    let mut chart = ChartBuilder::on(area)
        .caption(unit, (FONT, 15))
        .margin(12)
        .margin_bottom(56)
        .margin_top(20)
        .y_label_area_size(0)
        .right_y_label_area_size(64)
        .build_cartesian_2d(0.0..1.0, low..high)?;
    let (width, height) = chart.plotting_area().dim_in_pixel();
    let value = |y: u32| high - (high - low) * f64::from(y) / f64::from(height);
    let pixels = image(width, height, |_, y| colours.of(value(y)));
    if let Some(element) = BitMapElement::with_owned_buffer((0.0, high), (width, height), pixels) {
        chart.plotting_area().draw(&element)?;
    }
    chart
        .configure_mesh()
        .disable_mesh()
        .disable_x_axis()
        .y_labels(6)
        .y_label_formatter(&|value| format!("{value}"))
        .label_style((FONT, 14))
        .draw()?;
    Ok(())
}

fn image(width: u32, height: u32, colour: impl Fn(u32, u32) -> RGBColor) -> Vec<u8> {
    let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    places
        .flat_map(|(x, y)| {
            let RGBColor(red, green, blue) = colour(x, y);
            [red, green, blue]
        })
        .collect()
}
