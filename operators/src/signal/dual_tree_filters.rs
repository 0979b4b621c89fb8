//! The filters of dual-tree complex wavelet transforms.

/// The filters of the first level: biorthogonal ones, symmetric around a sample, for both trees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Biorthogonal {
    /// 9 and 7 taps, of Antonini et al.
    Antonini,
    /// 5 and 3 taps, of Le Gall and Tabatabai.
    LeGall,
    /// 5 and 7 taps, nearly symmetric. PyLops: `"near_sym_a"`.
    #[default]
    NearSymmetricA,
    /// 13 and 19 taps, nearly symmetric. PyLops: `"near_sym_b"`.
    NearSymmetricB,
}

/// The filters of all further levels: orthogonal ones whose trees are a quarter of a sample before and behind the middle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum QuarterShift {
    /// 10 taps, of which 6 are not zero. PyLops: `"qshift_06"`.
    Six,
    /// 10 taps. PyLops: `"qshift_a"`.
    #[default]
    A,
    /// 14 taps. PyLops: `"qshift_b"`.
    B,
    /// 16 taps. PyLops: `"qshift_c"`.
    C,
    /// 18 taps. PyLops: `"qshift_d"`.
    D,
    /// 32 taps. PyLops: `"qshift_32"`.
    ThirtyTwo,
}

impl Biorthogonal {
    /// Low-pass and high-pass filter of the analysis: the second one is the low-pass filter of the synthesis with signs that alternate.
    pub(super) fn analysis(self) -> [Vec<f64>; 2] {
        let [analysis, synthesis] = self.halves().map(whole);
        let high = alternating(&synthesis).iter().map(|tap| -tap).collect();
        [analysis, high]
    }

    /// Those of the synthesis.
    pub(super) fn synthesis(self) -> [Vec<f64>; 2] {
        let [analysis, synthesis] = self.halves().map(whole);
        let high = alternating(&analysis);
        [synthesis, high]
    }

    /// The low-pass filters of analysis and synthesis up to their middle: those of Kingsbury's toolbox, which the package `dtcwt` 0.14 has.
    fn halves(self) -> [&'static [f64]; 2] {
        match self {
            Self::Antonini => [
                &[
                    0.026_748_757_410_810_106,
                    -0.016_864_118_442_874_67,
                    -0.078_223_266_528_990_52,
                    0.266_864_118_442_872_9,
                    0.602_949_018_236_359_3,
                ],
                &[
                    -0.045_635_881_557_125_14,
                    -0.028_771_763_114_249_34,
                    0.295_635_881_557_128,
                    0.557_543_526_228_502_3,
                ],
            ],
            Self::LeGall => [&[-0.125, 0.25, 0.75], &[0.25, 0.5]],
            Self::NearSymmetricA => [
                &[-0.05, 0.25, 0.6],
                &[
                    -0.010_714_285_714_285_713,
                    -0.053_571_428_571_428_57,
                    0.260_714_285_714_285_73,
                    0.607_142_857_142_857_1,
                ],
            ],
            Self::NearSymmetricB => [
                &[
                    -0.001_757_812_5,
                    0.0,
                    0.022_265_625,
                    -0.046_875,
                    -0.048_242_187_5,
                    0.296_875,
                    0.555_468_75,
                ],
                &[
                    7.062_639_508_928_571e-5,
                    0.0,
                    -0.001_341_901_506_696_428_5,
                    -0.001_883_370_535_714_285_5,
                    0.007_156_808_035_714_285,
                    0.023_856_026_785_714_284,
                    -0.055_643_136_160_714_28,
                    -0.051_688_058_035_714_28,
                    0.299_757_603_236_607_16,
                    0.559_430_803_571_428_6,
                ],
            ],
        }
    }
}

impl QuarterShift {
    /// The low-pass filter of the first tree; that of the second one is the same the other way round, and so are those of the synthesis.
    pub(super) fn low(self) -> &'static [f64] {
        match self {
            Self::Six => &[
                0.035_163_836_571_494_74,
                0.0,
                -0.088_329_424_451_072_85,
                0.233_890_320_607_235_64,
                0.760_272_369_066_125_7,
                0.587_518_297_723_560_5,
                0.0,
                -0.114_301_837_144_248_73,
                0.0,
                0.0,
            ],
            Self::A => &[
                0.051_130_405_283_831_656,
                -0.013_975_370_246_888_838,
                -0.109_836_051_665_970_87,
                0.263_839_561_058_937_63,
                0.766_628_467_793_037_2,
                0.563_655_710_127_051_5,
                0.000_873_622_695_217_096_8,
                -0.100_231_219_507_476_2,
                -0.001_689_681_272_528_154_3,
                -0.006_181_881_892_116_438,
            ],
            Self::B => &[
                0.003_253_142_763_653_182,
                -0.003_883_211_999_158_49,
                0.034_660_346_844_853_49,
                -0.038_872_801_268_827_79,
                -0.117_203_887_699_115_27,
                0.275_295_384_668_882_04,
                0.756_145_643_892_522_5,
                0.568_810_420_712_122_7,
                0.011_866_092_033_797,
                -0.106_711_804_686_665_4,
                0.023_825_384_794_920_298,
                0.017_025_223_881_553_99,
                -0.005_439_475_937_274_115,
                -0.004_556_895_628_475_491,
            ],
            Self::C => &[
                -0.004_761_611_938_455_913_5,
                -0.000_446_022_789_262_285_16,
                -7.144_197_327_965_012e-5,
                0.034_914_612_306_842_195,
                -0.037_273_895_799_897_96,
                -0.115_911_457_427_440_76,
                0.276_368_643_133_031_7,
                0.756_393_765_199_036_7,
                0.567_134_484_100_133,
                0.014_637_405_964_473_35,
                -0.112_558_884_257_522_03,
                0.022_289_263_266_922_71,
                0.018_498_682_724_156_248,
                -0.007_202_677_878_258_346_5,
                -0.000_227_652_205_897_771_8,
                0.002_430_349_945_148_675,
            ],
            Self::D => &EIGHTEEN,
            Self::ThirtyTwo => &THIRTY_TWO,
        }
    }

    /// Low-pass and high-pass filter of the first tree.
    pub(super) fn first(self) -> [Vec<f64>; 2] {
        let low = self.low().to_vec();
        let turned: Vec<f64> = low.iter().rev().copied().collect();
        let high = alternating(&turned);
        [low, high]
    }
}

/// A filter that is symmetric around the last tap of its half.
fn whole(half: &[f64]) -> Vec<f64> {
    half.iter().chain(half.iter().rev().skip(1)).copied().collect()
}

fn alternating(filter: &[f64]) -> Vec<f64> {
    let sign = |(place, tap): (usize, &f64)| if place % 2 == 0 { *tap } else { -tap };
    filter.iter().enumerate().map(sign).collect()
}

/// The first low-pass filter of `QuarterShift::D`.
const EIGHTEEN: [f64; 18] = [
    -0.002_284_127_440_270_531,
    0.001_209_894_163_073_442_3,
    -0.011_834_794_515_430_786,
    0.001_283_456_999_344_399_4,
    0.044_365_221_606_616_996,
    -0.053_276_108_803_047_26,
    -0.113_305_886_362_142_8,
    0.280_902_863_222_186_5,
    0.752_816_038_087_856_1,
    0.565_808_067_396_458_7,
    0.024_550_152_433_666_563,
    -0.120_188_544_710_794_82,
    0.018_156_493_945_546_453,
    0.031_526_377_122_084_65,
    -0.006_628_794_612_430_063,
    -0.002_576_174_306_600_794_8,
    0.001_277_558_653_806_998_2,
    0.002_411_869_456_666_278,
];

/// The first low-pass filter of `QuarterShift::ThirtyTwo`.
const THIRTY_TWO: [f64; 32] = [
    -0.000_302_986_558_716_425,
    4.083_838_317_973_739e-6,
    0.000_171_054_697_130_495_28,
    0.000_548_739_255_398_577,
    -0.000_204_631_779_823_688_14,
    -0.002_147_195_992_418_279_7,
    0.000_510_959_952_392_086_5,
    0.008_735_659_961_321_607,
    -0.004_566_750_428_419_902_5,
    -0.024_908_230_393_248_357,
    0.021_969_288_761_055_316,
    0.054_396_554_340_412_21,
    -0.075_311_372_701_166_68,
    -0.110_307_301_050_566_73,
    0.296_444_191_118_498_57,
    0.738_923_076_932_162_3,
    0.565_896_713_231_469_8,
    0.041_994_375_951_141_33,
    -0.136_524_937_191_269_12,
    0.006_103_726_725_663_456,
    0.053_621_197_169_165_21,
    -0.010_817_582_774_556_43,
    -0.019_023_717_437_014_18,
    0.006_372_839_274_768_152,
    0.005_425_730_245_403_8,
    -0.002_110_067_325_399_009,
    -0.001_294_017_965_202_329_5,
    0.000_233_420_000_188_621_17,
    0.000_321_361_785_817_095_74,
    -0.000_120_604_367_072_756_85,
    2.393_685_765_865_473_3e-6,
    0.000_177_591_411_897_010_83,
];
