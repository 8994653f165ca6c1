/* files.c - lists of descriptors and streams. */
#include "ulp/files.h"

#include <stdlib.h>
#include <unistd.h>

void files_start(struct files *files)
{
    pthread_mutex_init(&files->lock, NULL);
    files->descriptors = NULL;
    files->descriptor_count = files->descriptor_room = 0;
    files->streams = NULL;
    files->ties = NULL;
}

void files_finish(struct files *files)
{
    struct file_stream *stream;
    while ((stream = files->streams) != NULL) {
        files->streams = stream->next;
        fclose(stream->stream); /* nobody waits for a child that is left */
        free(stream);
    }
    for (size_t i = 0; i < files->descriptor_count; i++)
        close(files->descriptors[i]);
    while (files->ties)
        files_drop_tie(files, files->ties->object);
    free(files->descriptors);
    pthread_mutex_destroy(&files->lock);
}

/* With the lock. False without memory. */
static bool files_have_room(struct files *files)
{
    if (files->descriptor_count < files->descriptor_room)
        return true;
    size_t room = 2 * files->descriptor_room + 4;
    int *grown = realloc(files->descriptors, room * sizeof *grown);
    if (!grown)
        return false;
    files->descriptors = grown;
    files->descriptor_room = room;
    return true;
}

int files_add(struct files *files, int descriptor)
{
    if (descriptor < 0)
        return descriptor;
    pthread_mutex_lock(&files->lock);
    if (files_have_room(files))
        files->descriptors[files->descriptor_count++] = descriptor;
    pthread_mutex_unlock(&files->lock);
    return descriptor;
}

FILE *files_add_stream(struct files *files, FILE *stream)
{
    return files_add_command(files, stream, 0);
}

FILE *files_add_command(struct files *files, FILE *stream, pid_t child)
{
    struct file_stream *fresh = stream ? malloc(sizeof *fresh) : NULL;
    if (!fresh) {
        if (stream)
            fclose(stream);
        return NULL;
    }
    fresh->stream = stream;
    fresh->child = child;
    pthread_mutex_lock(&files->lock);
    fresh->next = files->streams;
    files->streams = fresh;
    pthread_mutex_unlock(&files->lock);
    return stream;
}

void files_drop(struct files *files, int descriptor)
{
    pthread_mutex_lock(&files->lock);
    for (size_t i = 0; i < files->descriptor_count; i++)
        if (files->descriptors[i] == descriptor)
            files->descriptors[i--] = files->descriptors[--files->descriptor_count];
    pthread_mutex_unlock(&files->lock);
}

pid_t files_drop_stream(struct files *files, FILE *stream)
{
    pthread_mutex_lock(&files->lock);
    struct file_stream **place = &files->streams;
    while (*place && (*place)->stream != stream)
        place = &(*place)->next;
    struct file_stream *found = *place;
    if (found)
        *place = found->next;
    pthread_mutex_unlock(&files->lock);
    pid_t child = found ? found->child : 0;
    free(found);
    return child;
}

/* Without memory it is taken for something that can go along. */
void files_add_tie(struct files *files, const void *object, const char *what)
{
    struct file_tie *fresh = object ? malloc(sizeof *fresh) : NULL;
    if (!fresh)
        return;
    fresh->object = object;
    fresh->what = what;
    pthread_mutex_lock(&files->lock);
    fresh->next = files->ties;
    files->ties = fresh;
    pthread_mutex_unlock(&files->lock);
}

void files_drop_tie(struct files *files, const void *object)
{
    pthread_mutex_lock(&files->lock);
    struct file_tie **place = &files->ties;
    while (*place && (*place)->object != object)
        place = &(*place)->next;
    struct file_tie *found = *place;
    if (found)
        *place = found->next;
    pthread_mutex_unlock(&files->lock);
    free(found);
}
