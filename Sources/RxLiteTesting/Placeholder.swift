// RxLiteTesting
