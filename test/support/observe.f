c     How does a Fortran test program tell what it observes? One line for each observation.

c     "WHAT: VALUE"
      subroutine see(what, value)
      character*(*) what
      integer value
      write (*, '(A,A,I0)') what, ': ', value
      flush (6)
      end

c     "WHAT: <TEXT>", with the blanks at its end.
      subroutine seetext(what, text)
      character*(*) what, text
      write (*, '(A,A,A,A)') what, ': <', text, '>'
      flush (6)
      end

c     A heading for what follows.
      subroutine area(name)
      character*(*) name
      write (*, '(A,A)') '== ', name
      flush (6)
      end
