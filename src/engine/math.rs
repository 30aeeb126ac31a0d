//! The mathematics behind SQLite's functions of these names, from JavaScript: every engine has it, and the C library's own
//! would be 5 KB of the compressed file. `pow` is not among them: engines differ in its last digits, and in what `1 ** Infinity` is.

macro_rules! from_javascript {
    ($($name:ident $import:ident ($($x:ident),+);)*) => {
        #[link(wasm_import_module = "vfs-host")]
        unsafe extern "C" {
            $(safe fn $import($($x: f64),+) -> f64;)*
        }

        $(#[unsafe(no_mangle)]
        extern "C" fn $name($($x: f64),+) -> f64 {
            $import($($x),+)
        })*
    };
}

from_javascript! {
    acos js_acos(x);
    asin js_asin(x);
    atan js_atan(x);
    atan2 js_atan2(y, x);
    cos js_cos(x);
    cosh js_cosh(x);
    exp js_exp(x);
    fmod js_fmod(x, y);
    log js_log(x);
    log10 js_log10(x);
    log2 js_log2(x);
    sin js_sin(x);
    sinh js_sinh(x);
    tan js_tan(x);
    tanh js_tanh(x);
}
