//! Tests on both kinds of runtime.

/// Declares two tests for each async function: on a runtime with one thread and virtual time, where the client's task and its
/// subscribers take turns, and on one with several threads and real time, where they run at once.
#[macro_export]
macro_rules! on_both_runtimes {
    ($($test:ident),+ $(,)?) => {
        mod on_one_thread {
            $(#[tokio::test(start_paused = true)]
            async fn $test() {
                super::$test().await;
            })+
        }

        mod on_several_threads {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn $test() {
                super::$test().await;
            })+
        }
    };
}
