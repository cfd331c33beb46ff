/* The package manager builds a target of C only with a source file. */
#include "fathom.h"
