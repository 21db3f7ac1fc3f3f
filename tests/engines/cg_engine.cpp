// A program for CodinGame's Ultimate Tic-Tac-Toe, which plays the last move that it is offered.
#include <iostream>

int main() {
    int row, col, count;
    while (std::cin >> row >> col >> count) {
        for (int i = 0; i < count; i++) std::cin >> row >> col;
        std::cout << row << ' ' << col << std::endl;
    }
}
