use super::*;
use tokio::io::BufReader;

#[tokio::test(start_paused = true)]
async fn lines_are_numbered_and_the_rest_of_a_long_one_is_skipped() {
    let (longest, long) = ("x".repeat(MAX_LINE_BYTES), "y".repeat(3 * MAX_LINE_BYTES));
    let text = format!("one\r\n\n{longest}\n{long}\nlast");
    for capacity in [1, 7, 8192] {
        let mut lines = InputLines::new(BufReader::with_capacity(capacity, text.as_bytes()), MAX_LINE_BYTES);
        let mut read = Vec::new();
        while let Some(line) = lines.next_line().await {
            read.push((lines.number, line.map(|line| String::from_utf8(line).unwrap())));
        }
        let want =
            [Ok("one".to_owned()), Ok(String::new()), Ok(longest.clone()), Err(OVER_LONG), Ok("last".to_owned())];
        assert!(read == (1..).zip(want).collect::<Vec<_>>(), "capacity {capacity}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_long_line_without_an_end_is_the_last() {
    let text = "y".repeat(MAX_LINE_BYTES + 2);
    let mut lines = InputLines::new(text.as_bytes(), MAX_LINE_BYTES);
    assert_eq!(lines.next_line().await, Some(Err(OVER_LONG)));
    assert_eq!(lines.next_line().await, None);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_read_loses_nothing() {
    let (mut writer, reader) = tokio::io::duplex(64);
    let mut lines = InputLines::new(BufReader::new(reader), MAX_LINE_BYTES);
    tokio::io::AsyncWriteExt::write_all(&mut writer, b"fin").await.unwrap();
    assert!(tokio::time::timeout(std::time::Duration::from_secs(1), lines.next_line()).await.is_err());
    tokio::io::AsyncWriteExt::write_all(&mut writer, b"ger\n").await.unwrap();
    assert_eq!(lines.next_line().await, Some(Ok(b"finger".to_vec())));
}
