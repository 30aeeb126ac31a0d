//! What SQLite asks of a VFS, by name.

macro_rules! operations {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// An operation of a VFS or of one of its files.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Operation {
            $($(#[$doc])* $variant,)*
        }

        impl Operation {
            /// All of them, in the order in which they are counted.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// How many there are.
            pub(super) const COUNT: usize = Self::ALL.len();

            /// A short name: `"read"`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

operations! {
    /// A file was opened.
    Open = "open",
    /// A file was closed.
    Close = "close",
    /// A file was deleted.
    Delete = "delete",
    /// A name was asked about.
    Access = "access",
    /// Bytes were read.
    Read = "read",
    /// Bytes were written.
    Write = "write",
    /// A file was cut or lengthened.
    Truncate = "truncate",
    /// A file was synced.
    Sync = "sync",
    /// A file's length was asked.
    Size = "size",
    /// A lock was asked for.
    Lock = "lock",
    /// A lock was lowered, or given back.
    Unlock = "unlock",
    /// A file control, pragmas included.
    Control = "control",
    /// The WAL index was mapped, locked or left.
    Shm = "shm",
}
