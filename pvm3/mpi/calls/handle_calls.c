/* handle_calls.c - handles as numbers, for Fortran and other languages. */
#include "mpi/calls/calls.h"
#include "mpi/objects/object.h"

MPI_CALL(int, Comm_toint)(MPI_Comm comm)
{
    return object_number(comm, OBJECT_COMM);
}

MPI_CALL(MPI_Comm, Comm_fromint)(int comm)
{
    return object_of_number(comm, OBJECT_COMM);
}

MPI_CALL(int, Errhandler_toint)(MPI_Errhandler errhandler)
{
    return object_number(errhandler, OBJECT_ERRHANDLER);
}

MPI_CALL(MPI_Errhandler, Errhandler_fromint)(int errhandler)
{
    return object_of_number(errhandler, OBJECT_ERRHANDLER);
}

MPI_CALL(int, File_toint)(MPI_File file)
{
    return object_number(file, OBJECT_FILE);
}

MPI_CALL(MPI_File, File_fromint)(int file)
{
    return object_of_number(file, OBJECT_FILE);
}

MPI_CALL(int, Group_toint)(MPI_Group group)
{
    return object_number(group, OBJECT_GROUP);
}

MPI_CALL(MPI_Group, Group_fromint)(int group)
{
    return object_of_number(group, OBJECT_GROUP);
}

MPI_CALL(int, Info_toint)(MPI_Info info)
{
    return object_number(info, OBJECT_INFO);
}

MPI_CALL(MPI_Info, Info_fromint)(int info)
{
    return object_of_number(info, OBJECT_INFO);
}

MPI_CALL(int, Message_toint)(MPI_Message message)
{
    return object_number(message, OBJECT_MESSAGE);
}

MPI_CALL(MPI_Message, Message_fromint)(int message)
{
    return object_of_number(message, OBJECT_MESSAGE);
}

MPI_CALL(int, Op_toint)(MPI_Op op)
{
    return object_number(op, OBJECT_OP);
}

MPI_CALL(MPI_Op, Op_fromint)(int op)
{
    return object_of_number(op, OBJECT_OP);
}

MPI_CALL(int, Request_toint)(MPI_Request request)
{
    return object_number(request, OBJECT_REQUEST);
}

MPI_CALL(MPI_Request, Request_fromint)(int request)
{
    return object_of_number(request, OBJECT_REQUEST);
}

MPI_CALL(int, Session_toint)(MPI_Session session)
{
    return object_number(session, OBJECT_SESSION);
}

MPI_CALL(MPI_Session, Session_fromint)(int session)
{
    return object_of_number(session, OBJECT_SESSION);
}

MPI_CALL(int, Type_toint)(MPI_Datatype datatype)
{
    return object_number(datatype, OBJECT_DATATYPE);
}

MPI_CALL(MPI_Datatype, Type_fromint)(int datatype)
{
    return object_of_number(datatype, OBJECT_DATATYPE);
}

MPI_CALL(int, Win_toint)(MPI_Win win)
{
    return object_number(win, OBJECT_WIN);
}

MPI_CALL(MPI_Win, Win_fromint)(int win)
{
    return object_of_number(win, OBJECT_WIN);
}
