#ifndef FATHOM_CLAPACK_H
#define FATHOM_CLAPACK_H
#endif
