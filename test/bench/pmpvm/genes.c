/* A genetic algorithm: where do the modules of a circuit go so that its nets are short?
 *
 * usage: genes TASKS HOW INDIVIDUALS MODULES NETS GENERATIONS        see crew.h
 *
 * An individual is a place on a square grid for each module. Each task has a population of its
 * own, a part of the INDIVIDUALS. After each generation it sends its best ones to the next task,
 * and those of the task before it replace its worst ones; a single task keeps its own. The master
 * sends the circuit to the tasks, unless they share it, and gets the best individual of each.
 */
#include "../crew.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { TAKE_CIRCUIT, MIGRATE, BEST };
enum { MOST_MODULES = 128, MOST_NETS = 512, MOST_PINS = 6, MIGRANTS = 8 };

struct circuit {
    int modules, nets, generations;
    int width; /* of the grid */
    struct net {
        int pins, modules[MOST_PINS];
    } net[MOST_NETS];
};

struct individual {
    int cost, places[MOST_MODULES];
};

struct population {
    uint64_t random;
    int count;
    struct individual *people, *children; /* the people stand in order of their costs */
};

static struct circuit shared; /* that of the master */
static struct individual best;

static int below(struct population *population, int limit)
{
    return (int)(crew_random(&population->random) % (uint32_t)limit);
}

static void make_circuit(struct circuit *circuit)
{
    uint64_t state = 1;
    for (int i = 0; i < circuit->nets; i++) {
        struct net *net = &circuit->net[i];
        net->pins = 2 + (int)(crew_random(&state) % (MOST_PINS - 1));
        for (int pin = 0; pin < net->pins; pin++)
            net->modules[pin] = (int)(crew_random(&state) % (uint32_t)circuit->modules);
    }
}

static void set_numbers(const struct crew *crew, struct circuit *circuit)
{
    circuit->modules = crew_number(crew, 1);
    circuit->nets = crew_number(crew, 2);
    circuit->generations = crew_number(crew, 3);
    for (circuit->width = 1; circuit->width * circuit->width < circuit->modules;)
        circuit->width++;
}

static void widen(int *least, int *most, int value)
{
    *least = value < *least ? value : *least;
    *most = value > *most ? value : *most;
}

/* Half of the perimeter of a net. */
static int length_of(const struct net *net, const int *places, int width)
{
    int left = width, right = 0, top = width, bottom = 0;
    for (int i = 0; i < net->pins; i++) {
        int place = places[net->modules[i]];
        widen(&left, &right, place % width);
        widen(&top, &bottom, place / width);
    }
    return right - left + bottom - top;
}

static void judge(const struct circuit *circuit, struct individual *one)
{
    one->cost = 0;
    for (int i = 0; i < circuit->nets; i++)
        one->cost += length_of(&circuit->net[i], one->places, circuit->width);
}

static void exchange(int *one, int *other)
{
    int place = *one;
    *one = *other;
    *other = place;
}

static int compare(const void *first, const void *second)
{
    return ((const struct individual *)first)->cost - ((const struct individual *)second)->cost;
}

static void sort(struct population *population)
{
    qsort(population->people, (size_t)population->count, sizeof *population->people, compare);
}

/* The population of a task. */
static struct population make_population(const struct crew *crew, const struct circuit *circuit,
                                         int task)
{
    int individuals = crew_number(crew, 0);
    int count = crew_part(crew, individuals, task + 1) - crew_part(crew, individuals, task);
    struct population made = {.random = (uint64_t)task + 1, .count = count};
    made.people = crew_memory(sizeof *made.people * (size_t)count);
    made.children = crew_memory(sizeof *made.children * (size_t)count);
    for (int i = 0; i < count; i++) {
        int *places = made.people[i].places;
        for (int module = 0; module < circuit->modules; module++) {
            places[module] = module;
            exchange(&places[module], &places[below(&made, module + 1)]);
        }
        judge(circuit, &made.people[i]);
    }
    sort(&made);
    return made;
}

static void free_population(struct population *population)
{
    free(population->people);
    free(population->children);
}

/* The better one of two. */
static const struct individual *choose(struct population *population)
{
    int one = below(population, population->count), other = below(population, population->count);
    return &population->people[one < other ? one : other];
}

/* The child has some modules where the mother has them. The others get the places that are left,
 * in the order of the father. */
static void cross(struct population *population, struct individual *child, int modules)
{
    const struct individual *mother = choose(population), *father = choose(population);
    char taken[MOST_MODULES] = {0};
    int first = below(population, modules), end = first + below(population, modules - first + 1);
    for (int i = first; i < end; i++)
        taken[child->places[i] = mother->places[i]] = 1;
    for (int i = 0, next = 0; i < modules; i++) {
        if (i == first)
            i = end;
        while (next < modules && taken[father->places[next]])
            next++;
        if (i < modules)
            child->places[i] = father->places[next++];
    }
}

static void breed(struct population *population, struct individual *child, int modules)
{
    cross(population, child, modules);
    if (below(population, 2) == 0)
        exchange(&child->places[below(population, modules)],
                 &child->places[below(population, modules)]);
}

/* The next generation; the best one lives on. */
static void evolve(struct population *population, const struct circuit *circuit)
{
    struct individual *people = population->people;
    population->children[0] = people[0];
    for (int i = 1; i < population->count; i++) {
        breed(population, &population->children[i], circuit->modules);
        judge(circuit, &population->children[i]);
    }
    population->people = population->children;
    population->children = people;
    sort(population);
}

/* Those that others replace. */
static struct individual *worst(struct population *population)
{
    return population->people + population->count - MIGRANTS;
}

static void pack_individual(struct individual *one, int modules)
{
    CHECK(pvm_pkint(&one->cost, 1, 1));
    CHECK(pvm_pkint(one->places, modules, 1));
}

static void unpack_individual(struct individual *one, int modules)
{
    CHECK(pvm_upkint(&one->cost, 1, 1));
    CHECK(pvm_upkint(one->places, modules, 1));
}

static void migrate(const struct crew *crew, struct population *population, int modules)
{
    int me = crew->me, count = crew->tasks;
    crew_begin();
    for (int i = 0; i < MIGRANTS; i++)
        pack_individual(&population->people[i], modules);
    CHECK(pvm_send(crew->tids[(me + 1) % count], MIGRATE));
    crew_receive(crew->tids[(me + count - 1) % count], MIGRATE);
    for (int i = 0; i < MIGRANTS; i++)
        unpack_individual(&worst(population)[i], modules);
    sort(population);
}

static void send_circuit(const struct crew *crew)
{
    crew_begin();
    for (int i = 0; i < shared.nets && !crew->hybrid; i++) {
        CHECK(pvm_pkint(&shared.net[i].pins, 1, 1));
        CHECK(pvm_pkint(shared.net[i].modules, shared.net[i].pins, 1));
    }
    CHECK(pvm_mcast((int *)crew->tids, crew->tasks, TAKE_CIRCUIT));
}

/* In place of the task's own circuit, hybrid tasks get the one that they share. */
static const struct circuit *receive_circuit(const struct crew *crew, struct circuit *own)
{
    crew_receive(crew->master, TAKE_CIRCUIT);
    if (crew->hybrid)
        return &shared;
    set_numbers(crew, own);
    for (int i = 0; i < own->nets; i++) {
        CHECK(pvm_upkint(&own->net[i].pins, 1, 1));
        CHECK(pvm_upkint(own->net[i].modules, own->net[i].pins, 1));
    }
    return own;
}

void prepare(const struct crew *crew)
{
    set_numbers(crew, &shared);
    make_circuit(&shared);
}

/* The populations of the tasks one after the other; without tasks a single one. */
void solve_alone(const struct crew *crew)
{
    int count = crew->tasks > 0 ? crew->tasks : 1;
    struct population populations[CREW_MOST_TASKS];
    for (int i = 0; i < count; i++)
        populations[i] = make_population(crew, &shared, i);
    for (int generation = 0; generation < shared.generations; generation++) {
        for (int i = 0; i < count; i++)
            evolve(&populations[i], &shared);
        for (int i = 0; i < count && count > 1; i++)
            memcpy(worst(&populations[(i + 1) % count]), populations[i].people,
                   MIGRANTS * sizeof *populations[i].people);
        for (int i = 0; i < count; i++)
            sort(&populations[i]);
    }
    best = populations[0].people[0];
    for (int i = 0; i < count; i++) {
        if (populations[i].people[0].cost < best.cost)
            best = populations[i].people[0];
        free_population(&populations[i]);
    }
}

void lead(const struct crew *crew)
{
    send_circuit(crew);
    best.cost = INT_MAX;
    for (int task = 0; task < crew->tasks; task++) {
        struct individual one = {0};
        crew_receive(crew->tids[task], BEST);
        unpack_individual(&one, shared.modules);
        if (one.cost < best.cost)
            best = one;
    }
}

void assist(const struct crew *crew)
{
    struct circuit own;
    const struct circuit *circuit = receive_circuit(crew, &own);
    struct population population = make_population(crew, circuit, crew->me);
    for (int generation = 0; generation < circuit->generations; generation++) {
        evolve(&population, circuit);
        if (crew->tasks > 1)
            migrate(crew, &population, circuit->modules);
    }
    crew_begin();
    pack_individual(&population.people[0], circuit->modules);
    CHECK(pvm_send(crew->master, BEST));
    free_population(&population);
}

int is_right(const struct crew *crew)
{
    struct individual found = best;
    solve_alone(crew);
    return found.cost == best.cost &&
           memcmp(found.places, best.places, sizeof(int) * (size_t)shared.modules) == 0;
}
