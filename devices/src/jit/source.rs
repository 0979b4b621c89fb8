//! The text of a kernel before a device's dialect is added.

/// The text of a kernel in the language that all dialects share, and its entry point.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KernelSource {
    name: String,
    entry: String,
    body: String,
    local_bytes: usize,
}

impl KernelSource {
    /// The macro that a kernel's text defines as 1, on a line of its own, if groups of one launch read what others of
    /// it have written: the dialects' fences for the whole device need more than what other kernels are compiled as.
    /// Such a kernel is [`Error::Unsupported`](crate::Error::Unsupported) where
    /// [`DeviceInfo::device_fence`](crate::DeviceInfo::device_fence) is not set.
    pub const ACROSS_GROUPS: &str = "ACROSS_GROUPS";

    /// The macro that a kernel's text defines as a number, on a line of its own, if a processor is to hold as many of its groups at
    /// once: what `KERNEL_OF` is told, where a language can say it. Lines that say different numbers say nothing.
    pub const RESIDENT: &str = "RESIDENT";

    /// The macro that stands on a line of its own, right behind the line that the kernel's body begins at, if the kernel may be launched before
    /// those before it have ended: it waits for them there, so that only its launch is ahead. A kernel without it, with it anywhere
    /// else, or with another kernel in its text is launched when they have ended; so is any on a stream of another library.
    pub const AFTER_EARLIER_KERNELS: &str = "AFTER_EARLIER_KERNELS";

    /// Whether the only kernel of the text begins with [`AFTER_EARLIER_KERNELS`](Self::AFTER_EARLIER_KERNELS).
    pub(crate) fn awaits_earlier_kernels(&self) -> bool {
        let lines = self.body.lines().map(str::trim);
        let heads = lines.clone().zip(lines.skip(1)).filter(|(head, _)| head.starts_with("KERNEL"));
        let mut waits = heads.map(|(head, first)| {
            let begins = head.ends_with('{') && head.matches('{').count() == 1;
            begins && first == Self::AFTER_EARLIER_KERNELS
        });
        waits.next() == Some(true) && waits.next().is_none()
    }

    /// Whether a translation unit defines [`ACROSS_GROUPS`](Self::ACROSS_GROUPS) as 1.
    pub(crate) fn is_across_groups(text: &str) -> bool {
        defined(text, Self::ACROSS_GROUPS).any(|number| number == 1)
    }

    /// What a translation unit defines [`RESIDENT`](Self::RESIDENT) as.
    pub(crate) fn resident(text: &str) -> Option<usize> {
        let mut numbers = defined(text, Self::RESIDENT);
        let first = numbers.next()?;
        numbers.all(|number| number == first).then_some(first)
    }

    /// A kernel called `name` in errors, whose function `entry` is defined in `body`.
    pub fn new(name: impl Into<String>, entry: impl Into<String>, body: impl Into<String>) -> Self {
        Self { name: name.into(), entry: entry.into(), body: body.into(), local_bytes: 0 }
    }

    /// The same for groups with so many bytes of local memory in a `LARGE_LOCAL_ARRAY`, of which a kernel has one at most: more
    /// than compilers give without being asked, up to [`DeviceInfo::most_local_bytes`](crate::DeviceInfo::most_local_bytes).
    #[must_use]
    pub fn with_local_bytes(self, local_bytes: usize) -> Self {
        Self { local_bytes, ..self }
    }

    /// What [`with_local_bytes`](Self::with_local_bytes) was told, or 0.
    #[must_use]
    pub fn local_bytes(&self) -> usize {
        self.local_bytes
    }

    /// What errors call it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The function to launch.
    #[must_use]
    pub fn entry(&self) -> &str {
        &self.entry
    }

    /// The whole translation unit: dialect, then body, whose lines compilers count from 1 under the
    /// kernel's name.
    #[must_use]
    pub fn text(&self, dialect: &str) -> String {
        format!("{dialect}\n#line 1 \"{}\"\n{}\n", self.name, self.body)
    }

    /// The line of `text` a compiler's log first complains about, as `name:LINE` or `name(LINE)`;
    /// errors count before warnings. A text may begin to count anew, by such a line as [`text`](Self::text) begins with.
    #[must_use]
    pub(crate) fn complaint<'t>(text: &'t str, name: &str, log: &str) -> Option<&'t str> {
        let body = text.rsplit_once(&format!("#line 1 \"{name}\"\n"))?.1;
        let errors = || log.lines().filter(|line| line.contains("error")).chain(log.lines());
        let number = |name| errors().find_map(|line| place(line, name));
        // NVIDIA's OpenCL does not follow `#line`: it counts from the top of the unit.
        let (lines, number) =
            number(name).map(|n| (body, n)).or_else(|| Some((text, number("<kernel>")?)))?;
        lines.lines().nth(number.checked_sub(1)?)
    }
}

/// The numbers that a text defines a macro as, on lines of their own.
fn defined<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = usize> + 't {
    text.lines().filter_map(move |line| {
        let mut words = line.split_whitespace();
        let (define, found, number) = (words.next()?, words.next()?, words.next()?);
        let is_it = define == "#define" && found == name && words.next().is_none();
        if is_it { number.parse().ok() } else { None }
    })
}

/// The number after `name` in one line of a log.
fn place(line: &str, name: &str) -> Option<usize> {
    line.match_indices(name).find_map(|(at, _)| {
        let digits = line[at + name.len()..].trim_start_matches([':', '(', '"', ' ']);
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        digits[..end].parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compilers_complaint_names_the_line() {
        let source = KernelSource::new("axpy", "axpy", "first\nsecond\nthird");
        let text = source.text("#define X");
        let nvrtc = "axpy(2): error: identifier \"second\" is undefined";
        let pocl = "error: /tmp/x/axpy:3:1: unknown type name 'third'";
        assert_eq!(KernelSource::complaint(&text, "axpy", nvrtc), Some("second"));
        assert_eq!(KernelSource::complaint(&text, "axpy", pocl), Some("third"));
        let nvidia = "<kernel>:3:59: error: use of undeclared identifier 'first'";
        assert_eq!(KernelSource::complaint(&text, "axpy", nvidia), Some("first"));
        assert_eq!(KernelSource::complaint(&text, "axpy", "no place given"), None);
    }

    #[test]
    fn lines_are_counted_from_where_a_text_begins_anew() {
        let body = "generated\nof other text\n#line 1 \"axpy\"\nwritten by\nthe user";
        let text = KernelSource::new("axpy", "axpy", body).text("");
        let log = "axpy(2): error: expected a \";\"";
        assert_eq!(KernelSource::complaint(&text, "axpy", log), Some("the user"));
    }

    #[test]
    fn numbers_are_those_of_lines_of_their_own() {
        let text = "#define RESIDENT_2 3\n#define RESIDENT (4 + 1)\n  #define RESIDENT 6\n";
        assert_eq!(KernelSource::resident(text), Some(6));
        assert_eq!(KernelSource::resident("#define RESIDENT 1 + 1\nRESIDENT 2"), None);
        let either = "#if A\n#define RESIDENT 8\n#else\n#define RESIDENT 1\n#endif";
        assert_eq!(KernelSource::resident(either), None);
        assert!(KernelSource::is_across_groups("#define ACROSS_GROUPS 0\n#define ACROSS_GROUPS 1"));
        assert!(KernelSource::is_across_groups("#define ACROSS_GROUPS 1\n"));
        assert!(!KernelSource::is_across_groups("#define ACROSS_GROUPS 0\n"));
    }

    #[test]
    fn a_kernel_that_waits_says_so_on_a_line_of_its_own() {
        let waits = |body| KernelSource::new("axpy", "axpy", body).awaits_earlier_kernels();
        assert!(waits("KERNEL axpy() {\n  AFTER_EARLIER_KERNELS\n  x[0] = 1;\n}"));
        assert!(!waits("KERNEL axpy() {\n  x[0] = 1;\n  AFTER_EARLIER_KERNELS\n}"));
        assert!(!waits("KERNEL other() {\n  AFTER_EARLIER_KERNELS\n}\nKERNEL axpy() {\n}"));
        assert!(!waits("KERNEL axpy() { if (c) {\n  AFTER_EARLIER_KERNELS\n}}"));
        assert!(!waits("/* No AFTER_EARLIER_KERNELS here. */\nKERNEL axpy() { x[0] = 1; }"));
    }

    #[test]
    fn an_error_counts_before_a_warning_and_a_mere_mention() {
        let source = KernelSource::new("axpy", "axpy", "first\nsecond");
        let text = source.text("");
        let log = "in kernel axpy of:\naxpy(1): warning: unused\naxpy(2): error: axpy: bad";
        assert_eq!(KernelSource::complaint(&text, "axpy", log), Some("second"));
    }
}
