// SwiftPM requires a source file in a C target; the header contains all code.
#include "CLAPACK.h"
