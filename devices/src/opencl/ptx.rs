//! What NVIDIA's `OpenCL` makes of a kernel: PTX, a text that says more than `OpenCL` C can.
//!
//! Without being told how many groups a processor is to hold at once, the assembler keeps registers for as many as there can be.
//! Then too few loads are on their way for kernels that load much before they compute.

/// Stands before all else but comments.
const VERSION: &[u8] = b"\n.version ";

/// Stands between an entry's parameters and its body, and is followed by the threads of a group.
const THREADS: &[u8] = b"\n.reqntid ";

/// What is put behind it; the number of groups follows.
const GROUPS: &[u8] = b"\n.minnctapersm ";

/// The same where a processor holds at least so many groups of the only entry; as it is, if it is no PTX of a kernel with groups of one size.
pub(super) fn with_groups(binary: Vec<u8>, groups: usize) -> Vec<u8> {
    // From its first byte on: what only has such a text in it may know its own length.
    let begins = [b"//".as_slice(), b".version "].iter().any(|begin| binary.starts_with(begin));
    let is_ptx =
        begins && position(&binary, VERSION).is_some() && position(&binary, GROUPS).is_none();
    let Some(at) = position(&binary, THREADS).filter(|_| is_ptx) else { return binary };
    let line = at + 1;
    let Some(end) = binary[line..].iter().position(|byte| *byte == b'\n') else { return binary };
    let (head, rest) = binary.split_at(line + end);
    [head, GROUPS, groups.to_string().as_bytes(), rest].concat()
}

/// The same without; `None` if it has not been told.
pub(super) fn without_groups(binary: &[u8]) -> Option<Vec<u8>> {
    let at = position(binary, GROUPS)?;
    let end = binary[at + 1..].iter().position(|byte| *byte == b'\n')?;
    Some([&binary[..at], &binary[at + 1 + end..]].concat())
}

fn position(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] =
        b"//\n.version 9.0\n.entry add(\n\t.param .u64 y\n)\n.reqntid 128, 1, 1\n{\n\tret;\n}\n\0";

    #[test]
    fn the_groups_stand_behind_the_threads_and_can_be_left_out_again() {
        let told = with_groups(TEXT.to_vec(), 8);
        let text = String::from_utf8(told.clone()).unwrap();
        assert!(text.contains(")\n.reqntid 128, 1, 1\n.minnctapersm 8\n{\n"), "{text}");
        assert_eq!(without_groups(&told).unwrap(), TEXT);
        // Once.
        assert_eq!(with_groups(told.clone(), 4), told);
        assert_eq!(without_groups(TEXT), None);
    }

    #[test]
    fn what_is_no_such_text_stays_as_it_is() {
        for other in [
            b"\x7fELF\n.reqntid 128, 1, 1\n{".as_slice(),
            b"//\n.version 9.0\n.entry add()\n{\n}\n",
            b"//\n.version 9.0\n.reqntid 128",
            b"",
        ] {
            assert_eq!(with_groups(other.to_vec(), 2), other);
        }
    }
}
