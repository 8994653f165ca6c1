/*
 * places.cc - prints where what a program in C++ has lies, a name and an address in each line.
 *
 * It ends when all that were spawned with it have printed.
 */
#include <cstdio>
#include <iostream>
#include <map>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include <pvm3.h>

struct alignas(64) wide {
    int number;
};

thread_local int in_thread = 3;
std::string global = "a text that is longer than what lies in the object itself";
std::map<int, std::string> table = {{1, "one"}};

static void tell(const char *name, const void *address)
{
    std::printf("%s %p\n", name, address);
}

/* Longer than what the object has room for: the library of C++ asks for the memory. */
static std::string long_text()
{
    std::ostringstream text;
    for (int i = 0; i < 100; i++)
        text << i << ' ';
    return text.str();
}

static void await_siblings()
{
    int *tids, count = pvm_siblings(&tids);
    pvm_initsend(PvmDataDefault);
    pvm_mcast(tids, count, 1);
    for (int i = 1; i < count; i++)
        pvm_recv(-1, 1);
}

int main()
{
    std::ios::sync_with_stdio(false);
    pvm_mytid();
    std::vector<int> numbers(1000);
    std::string text = long_text();
    int *nothing = new (std::nothrow) int[10], *one = new int;
    wide *aligned = new wide, *many = new wide[3];
    tell("stack", &numbers);
    tell("thread-local", &in_thread);
    tell("global", &global);
    tell("global text", global.data());
    tell("table", &table[1]);
    tell("new", one);
    tell("nothrow", nothing);
    tell("aligned", aligned);
    tell("many", many);
    tell("vector", numbers.data());
    tell("string", text.data());
    std::fflush(stdout);
    std::cout << "cout " << static_cast<void *>(one) << std::endl;
    try {
        throw std::string(1000, 'x');
    } catch (const std::string &caught) {
        tell("caught", caught.data());
    }
    try {
        std::vector<char> huge(std::size_t{1} << 60);
        tell("huge", huge.data());
    } catch (const std::bad_alloc &) {
    }
    std::fflush(stdout);
    delete one;
    delete[] nothing;
    delete aligned;
    delete[] many;
    await_siblings();
    return 0;
}
