/* streams.cc - what a program in C++ has to itself: objects, exceptions, types, streams. */
#include <pvm3.h>

#include <iomanip>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <typeinfo>

struct Shape {
    virtual ~Shape() = default;
    virtual int corners() const { return 0; }
};

struct Square : Shape {
    int corners() const override { return 4; }
};

struct Global {
    Global() { ++made; }
    ~Global() { std::cout << "destroyed " << made << std::endl; }
    static int made;
};

int Global::made = 0;
static Global global;
static std::map<std::string, int> table{{"one", 1}, {"two", 2}};
thread_local std::string in_thread = "a thread's own";

static int thrower(int depth)
{
    std::string guard(100, 'x');
    if (depth == 0)
        throw std::runtime_error("thrown");
    return thrower(depth - 1) + static_cast<int>(guard.size());
}

int main(int, char **argv)
{
    Shape *shape = new Square;
    pvm_mytid();
    table[argv[0]]++;
    std::cout << "corners " << shape->corners() << ", square "
              << (dynamic_cast<Square *>(shape) != nullptr) << ", " << typeid(*shape).name() << "\n";
    try {
        thrower(5);
    } catch (const std::exception &error) {
        std::cout << error.what() << std::endl;
    }
    try {
        throw 5;
    } catch (int number) {
        std::cout << "number " << std::setw(4) << number << std::endl;
    }
    std::cout << in_thread << ", made " << Global::made << ", entries " << table.size() << std::endl;
    std::cerr << "an error line" << std::endl;
    delete shape;
}
